// SPDX-License-Identifier: MIT
#include "client/agent/core/run_result.h"

namespace filecall::client {

Json run_result(const std::string& run, const AgentState& state) {
  const AgentSettings& settings = state.settings();
  const std::size_t model = state.model();
  Json result = {
      {"run", run},
      {"goal", settings.goal},
      {"scenario", settings.scenario},
      {"model", model < settings.models.size() ? settings.models[model] : state.answered_by()},
      {"status", state.is_over() ? std::string(to_string(state.end()))
                                 : std::string(state.is_parked() ? "parked" : "running")},
      {"reason", state.end_reason()},
      {"report", state.report()},
      {"unsupported", state.unsupported()},
      {"steps", state.steps().size()},
      {"calls", state.calls()},
      {"writes", state.writes()},
      {"tokens", state.tokens()},
      {"files_changed", state.files_changed()},
      {"duration_ms", to_ms(state.active_time(state.begun_at()))}};
  result["editing"] = std::string(to_string(settings.editing));
  if (Json branch = state.branch().to_json(); !branch.is_null()) {
    result["branch"] = std::move(branch);
  } else if (!state.branch().why_not.empty()) {
    result["no_branch"] = state.branch().why_not;
  }
  if (!state.checks().empty()) result["checks"] = std::string(state.checks());
  result["cost"] = state.is_cost_known() ? Json(state.cost()) : Json();
  return result;
}

}  // namespace filecall::client
