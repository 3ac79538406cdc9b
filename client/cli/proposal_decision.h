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
  kWaiting,    ///< Nobody has decided.
  kApproved,   ///< The run applies it.
  kDenied,     ///< `text` says by whom.
  kWithdrawn,  ///< The run asks no more: it was cancelled, or has ended.
};

struct DecidedProposal {
  ProposalDecision decision = ProposalDecision::kNone;
  std::string approval = {};  ///< Its id.
  std::string text = {};      ///< kDenied: who decided, when and why.
};

/// Reads the approval of a run's proposal. A decision that does not hold counts as none, and is set
/// aside as ApprovalFiles::read_decision() says. Failures: those of ApprovalFiles.
Result<DecidedProposal> decision_on(const spool::Layout& layout, const Proposal& proposal);

/// What was done with a proposal, in a word: state_of() of its record; "approved", "denied" or
/// "withdrawn" where nothing was done with one that was decided. Pure.
std::string_view state_of(const ProposalRecord& record, ProposalDecision decision);

/// Whether `apply` may apply it. Failure: failed_precondition; a run asks for a decision on it, or
/// was denied it, and nothing was applied of it before. The message says what to do. Pure.
Result<void> check_applicable(const ProposalRecord& record, const DecidedProposal& decided,
                              const spool::Layout& layout, std::string_view name);

}  // namespace filecall::client
