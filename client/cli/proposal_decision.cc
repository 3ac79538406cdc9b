// SPDX-License-Identifier: MIT
#include "client/cli/proposal_decision.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "base/time.h"
#include "client/approval/approval_files.h"
#include "client/cli/proposal_output.h"

namespace filecall::client {
namespace {

std::string denial_text(const ApprovalDecision& decision, const CallDecision& call) {
  const std::string& reason = call.reason.empty() ? decision.reason : call.reason;
  return fmt::format("was denied at {}{}{}{}", format_rfc3339(decision.decided_at),
                     decision.by.empty() ? "" : " by " + decision.by, reason.empty() ? "" : ": ",
                     reason);
}

}  // namespace

Result<DecidedProposal> decision_on(const spool::Layout& layout, const Proposal& proposal) {
  const std::size_t dot = proposal.id.rfind('.');
  if (!proposal.is_of_run || dot == std::string::npos) return DecidedProposal{};
  DecidedProposal found{.decision = ProposalDecision::kWithdrawn,
                        .approval = proposal.id.substr(0, dot)};
  auto files = ApprovalFiles::open(layout, false);
  if (!files && files.error().code == ErrorCode::kNotFound) return found;
  if (!files) return Unexpected(std::move(files).error());
  const auto request = files->read_request(found.approval);
  if (!request && request.error().code == ErrorCode::kNotFound) return found;
  if (!request) return Unexpected(request.error());
  TRY_ASSIGN(const auto decision, files->read_decision(found.approval, {}));
  found.decision = ProposalDecision::kWaiting;
  if (!decision) return found;
  const auto call = std::ranges::find_if(decision->calls, [&](const CallDecision& one) {
    return std::to_string(one.n) == proposal.id.substr(dot + 1);
  });
  if (call == decision->calls.end()) return found;
  found.decision = call->approved ? ProposalDecision::kApproved : ProposalDecision::kDenied;
  if (!call->approved) found.text = denial_text(*decision, *call);
  return found;
}

std::string_view state_of(const ProposalRecord& record, ProposalDecision decision) {
  if (record.made().empty() && !record.was_undone()) {
    if (decision == ProposalDecision::kApproved) return "approved";
    if (decision == ProposalDecision::kDenied) return "denied";
    if (decision == ProposalDecision::kWithdrawn) return "withdrawn";
  }
  return state_of(record);
}

Result<void> check_applicable(const ProposalRecord& record, const DecidedProposal& decided,
                              const spool::Layout& layout, std::string_view name) {
  if (!record.made().empty() || record.was_undone()) return {};
  std::string why;
  switch (decided.decision) {
    case ProposalDecision::kNone:
    case ProposalDecision::kApproved:
      return {};
    case ProposalDecision::kWaiting:
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{}: a run waits for a decision on it, and applies it then: "
                              "'filecall approve {}' or 'filecall deny {}'",
                              name, decided.approval, decided.approval));
    case ProposalDecision::kDenied:
      why = decided.text;
      break;
    case ProposalDecision::kWithdrawn:
      why = "the run that proposed it has ended or was cancelled before it was decided";
      break;
  }
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("{}: {}; 'filecall proposal apply {}' applies it all the same", name, why,
                          layout.proposal(name)));
}

}  // namespace filecall::client
