// SPDX-License-Identifier: MIT
#include "client/agent/core/agent_step.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace filecall::client {

bool AgentCall::was_refused() const {
  constexpr ErrorCode kRefusals[] = {ErrorCode::kInvalidArgument, ErrorCode::kNotFound,
                                     ErrorCode::kAlreadyExists,   ErrorCode::kPermissionDenied,
                                     ErrorCode::kUnauthenticated, ErrorCode::kFailedPrecondition,
                                     ErrorCode::kUnimplemented};
  return std::ranges::any_of(kRefusals,
                             [this](ErrorCode code) { return to_string(code) == status; });
}

bool AgentStep::has_calls_left() const {
  return std::any_of(calls.begin(), calls.end(),
                     [](const AgentCall& call) { return !call.is_settled(); });
}

bool AgentStep::has_checks() const {
  return std::ranges::any_of(calls, [](const AgentCall& call) { return call.is_check; });
}

bool AgentStep::has_begun_checks() const {
  return std::ranges::any_of(
      calls, [](const AgentCall& call) { return call.is_check && !call.request_id.empty(); });
}

std::string_view AgentStep::checks() const {
  const auto is_check = [](const AgentCall& call) { return call.is_check && call.is_settled(); };
  if (std::ranges::none_of(calls, is_check)) return {};
  const bool passed = std::ranges::all_of(
      calls, [&](const AgentCall& call) { return !is_check(call) || call.has_succeeded(); });
  if (passed) return "passed";
  // One that was denied, or that came after a failure, says nothing of the files.
  const bool has_run = std::ranges::any_of(calls, [&](const AgentCall& call) {
    return is_check(call) && !call.has_succeeded() && !call.request_id.empty();
  });
  return has_run ? "failed" : "not_run";
}

bool AgentStep::has_run_programs() const {
  return std::ranges::any_of(calls, [](const AgentCall& call) {
    return call.tool == "tool.run" && !call.is_check && !call.request_id.empty();
  });
}

bool AgentStep::may_have_unseen_changes() const {
  const auto has_begun = [](const AgentCall& call) {
    return call.has_effects && !call.is_commit && !call.request_id.empty();
  };
  return !is_saved && !has_looked && std::ranges::any_of(calls, has_begun);
}

bool AgentStep::has_failed_call() const {
  return std::any_of(calls.begin(), calls.end(),
                     [](const AgentCall& call) { return call.has_failed(); });
}

void AgentStep::begin_approval() {
  approval.clear();
  approval_request = Json();
  is_decided = false;
}

void AgentStep::forget_decisions() {
  begin_approval();
  for (AgentCall& call : calls) {
    if (call.is_settled() || !call.request_id.empty()) continue;
    AgentCall planned;
    planned.n = call.n;
    planned.tool = std::move(call.tool);
    planned.args = std::move(call.args);
    planned.is_check = call.is_check;
    planned.is_commit = call.is_commit;
    call = std::move(planned);
  }
}

AgentCall* AgentStep::find(std::int64_t n) {
  return n < 1 || n > static_cast<std::int64_t>(calls.size())
             ? nullptr
             : &calls[static_cast<std::size_t>(n - 1)];
}

}  // namespace filecall::client
