// SPDX-License-Identifier: MIT
#include "client/agent/core/run_cancel.h"

#include <algorithm>
#include <utility>

#include "client/agent/core/skipped_call.h"

namespace filecall::client {
namespace {

bool is_begun(const AgentCall& call) { return !call.request_id.empty() && !call.is_settled(); }

std::vector<std::string> open_requests(const AgentState& state) {
  std::vector<std::string> ids;
  const auto add = [&ids](const std::string& id) {
    if (!id.empty()) ids.push_back(id);
  };
  if (state.branch().open) add(state.branch().open->id);
  if (!state.has_report()) add(state.report_request());
  const AgentStep* step = state.step();
  if (step == nullptr) return ids;
  if (!step->is_planned) add(step->plan_request);
  for (const AgentCall& call : step->calls) {
    if (call.is_settled()) continue;
    if (!call.has_preview) add(call.preview_request);
    if (!call.has_impact) add(call.impact_request);
    add(call.request_id);
  }
  return ids;
}

}  // namespace

RunCancel plan_cancel(const AgentState& state, const std::string& why) {
  RunCancel plan;
  plan.requests = open_requests(state);
  if (state.is_parked()) plan.records.push_back({"run.resumed", Json::object()});
  // A second cancel asks again for what the first one could not.
  if (!state.is_cancelled()) plan.records.push_back({"run.cancelled", {{"why", why}}});
  const AgentStep* step = state.step();
  plan.is_end = !state.branch().open &&
                (step == nullptr || std::none_of(step->calls.begin(), step->calls.end(), is_begun));
  if (!plan.is_end) return plan;
  if (step != nullptr) {
    for (AgentRecord& record : skipped_rest(*step, "the run was cancelled")) {
      plan.records.push_back(std::move(record));
    }
  }
  plan.records.push_back({"run.ended", {{"status", "cancelled"}, {"reason", "it was cancelled"}}});
  return plan;
}

}  // namespace filecall::client
