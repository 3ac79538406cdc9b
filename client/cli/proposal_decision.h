// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/proposals/proposal.h"
#include "client/proposals/proposal_record.h"
#include "spool/layout.h"

namespace filecall::client {

/// What became of the approval that a run asked for a proposal.
enum class ProposalDecision : std::uint8_t {
  kNone,       ///< No run asked: somebody called file.propose, or named a file.
  kUnknown,    ///< The approval cannot be read; `text` says why.
  kWaiting,    ///< Nobody has decided.
  kApproved,   ///< Its run applies it, or a part of it, when it goes on; if it does.
  kDenied,     ///< `text` says by whom.
  kWithdrawn,  ///< The run asks no more: it was cancelled, has ended, or its policy changed.
};

struct DecidedProposal {
  ProposalDecision decision = ProposalDecision::kNone;
  std::string approval = {};  ///< Its id.
  std::string run = {};
  std::string text = {};
};

/// Looks for the approval of a run's proposal: the last one that asked about it. A decision that
/// does not hold counts as none. Changes nothing; reads all approvals.
DecidedProposal decision_on(const spool::Layout& layout, const Proposal& proposal);

/// What was done with a proposal, in a word: state_of() of its record; "approved", "denied",
/// "withdrawn" or "unknown" where a run asked about it and nothing was done with it. Pure.
std::string_view state_of(const ProposalRecord& record, ProposalDecision decision);

/// Whether `apply` may apply a run's proposal by its id: nobody applied any of it, and it is not
/// the run's to apply, nor was it denied. The refusal says what to do. `root_words`: " --root DIR"
/// for commands in it, or nothing. Failure: failed_precondition. Pure.
Result<void> check_applicable(const DecidedProposal& decided, const spool::Layout& layout,
                              std::string_view name, std::string_view root_words);

}  // namespace filecall::client
