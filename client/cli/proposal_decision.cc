// SPDX-License-Identifier: MIT
#include "client/cli/proposal_decision.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "base/shell_word.h"
#include "base/time.h"
#include "client/agent/core/agent_ids.h"
#include "client/approval/approval_files.h"
#include "client/cli/proposal_output.h"

namespace filecall::client {
namespace {

/// The call of an approval's request that proposes it; nullptr: none does.
const Json* call_of(const ListedApproval& approval, const std::string& id) {
  if (!approval.request.is_object()) return nullptr;
  for (const Json& call : approval.request["calls"]) {
    if (call.value("id", "") == id) return &call;
  }
  return nullptr;
}

std::string denial_text(const ApprovalDecision& decision, const CallDecision& call) {
  const std::string& reason = call.reason.empty() ? decision.reason : call.reason;
  return fmt::format("was denied at {}{}{}{}", format_rfc3339(decision.decided_at),
                     decision.by.empty() ? "" : " by " + decision.by, reason.empty() ? "" : ": ",
                     reason);
}

void take_decision(const ListedApproval& approval, const Json& call, DecidedProposal& found) {
  found.approval = approval.id;
  found.decision = ProposalDecision::kWaiting;
  if (!approval.decision) return;
  const auto& calls = approval.decision->calls;
  const auto made = std::ranges::find(calls, call.value("n", 0), &CallDecision::n);
  if (made == calls.end()) return;
  found.decision = made->approved ? ProposalDecision::kApproved : ProposalDecision::kDenied;
  if (!made->approved) found.text = denial_text(*approval.decision, *made);
}

}  // namespace

DecidedProposal decision_on(const spool::Layout& layout, const Proposal& proposal) {
  const auto name = proposal.is_of_run ? agent_ids::parse_call(proposal.id) : std::nullopt;
  if (!name) return {};
  DecidedProposal found{.decision = ProposalDecision::kWithdrawn, .run = name->run};
  const std::string asked = agent_ids::approval(name->run, name->step, 1);
  const auto files = ApprovalFiles::open(layout, false);
  const auto listed = files ? files->list(true) : Unexpected(files.error());
  if (!listed) {
    found.decision = ProposalDecision::kUnknown;
    found.text = listed.error().message;
    return found;
  }
  for (const ListedApproval& approval : *listed) {
    if (const Json* call = call_of(approval, proposal.id)) {
      take_decision(approval, *call, found);
    } else if (!approval.request.is_object() &&
               (approval.id == asked || approval.id.starts_with(asked + "-"))) {
      // Asked once, or again.
      found.decision = ProposalDecision::kUnknown;
      found.text = approval.problem;
    }
  }
  return found;
}

std::string_view state_of(const ProposalRecord& record, ProposalDecision decision) {
  if (record.is_untouched()) {
    if (decision == ProposalDecision::kApproved) return "approved";
    if (decision == ProposalDecision::kDenied) return "denied";
    if (decision == ProposalDecision::kWithdrawn) return "withdrawn";
    if (decision == ProposalDecision::kUnknown) return "unknown";
  }
  return state_of(record);
}

Result<void> check_applicable(const DecidedProposal& decided, const spool::Layout& layout,
                              std::string_view name, std::string_view root_words) {
  std::string why;
  switch (decided.decision) {
    case ProposalDecision::kNone:
      return {};
    case ProposalDecision::kWaiting:
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{}: a run waits for a decision on it, and applies it then: "
                              "'filecall approve {}{}' or 'filecall deny {}{}'",
                              name, decided.approval, root_words, decided.approval, root_words));
    case ProposalDecision::kApproved:
      why = fmt::format(
          "was approved, and its run, unless it has ended, applies what was: 'filecall agent "
          "resume "
          "{}{}'",
          decided.run, root_words);
      break;
    case ProposalDecision::kDenied:
      why = decided.text;
      break;
    case ProposalDecision::kWithdrawn:
      why = "its run asks no more about it: it was cancelled, has ended, or its policy changed";
      break;
    case ProposalDecision::kUnknown:
      why = "nobody knows what was decided on it: " + decided.text;
      break;
  }
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("{}: {}; 'filecall proposal apply {}{}' applies all of it whatever was "
                          "decided",
                          name, why, shell_word(layout.proposal(name)), root_words));
}

}  // namespace filecall::client
