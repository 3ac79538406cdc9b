// SPDX-License-Identifier: MIT
#include "client/agent/core/run_result.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "client/agent/core/record_member.h"
#include "client/agent/core/result_text.h"

namespace filecall::client {
namespace {

constexpr std::size_t kListedCallsMax = 200;
constexpr std::size_t kListedArgumentBytes = 1024;

/// The result goes where approvals do not: of a Secret only its name is in it.
Json arguments_of(const AgentCall& call) {
  // What a person made of them is what ran.
  const Json& args = call.modified_args.is_null() ? call.args : call.modified_args;
  std::string kind = text_at(args, "kind");
  std::ranges::transform(kind, kind.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const bool is_secret = kind.starts_with("secret") ||
                         text_at(args, "manifestYaml").find("Secret") != std::string::npos;
  if (!call.tool.starts_with("kube.") || !is_secret) {
    return bounded_value(args, kListedArgumentBytes);
  }
  Json name = Json::object();
  for (const char* member : {"kind", "name", "namespace", "apiVersion", "context"}) {
    if (args.contains(member)) name[member] = args[member];
  }
  return name;
}

/// What the model called, in its order, for graders: not the scenario's checks and not commits.
Json calls_of_model(const AgentState& state, std::int64_t& left_out) {
  Json calls = Json::array();
  for (const AgentStep& step : state.steps()) {
    for (const AgentCall& call : step.calls) {
      if (call.is_check || call.is_commit) continue;
      if (calls.size() >= kListedCallsMax) {
        ++left_out;
        continue;
      }
      calls.push_back({{"name", call.tool},
                       {"arguments", arguments_of(call)},
                       {"status", call.is_settled() ? call.status : "not_ended"}});
    }
  }
  return calls;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

std::string report_or_summary(std::string report, const AgentStep* step) {
  if (!is_blank(report)) return report;
  if (step != nullptr && !is_blank(step->summary)) return step->summary;
  return "The model gave no report.";
}

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
      {"steps", state.step_count()},
      {"calls", state.calls()},
      {"writes", state.writes()},
      {"tokens", state.tokens()},
      {"files_changed", state.files_changed()},
      {"files_changed_known", state.knows_files_changed()},
      {"duration_ms", to_ms(state.active_time(state.begun_at()))}};
  if (!state.damage().empty()) {
    result["records_complete"] = false;
    result["records_damage"] = state.damage();
  }
  result["editing"] = std::string(to_string(settings.editing));
  if (Json branch = state.branch().to_json(); !branch.is_null()) {
    result["branch"] = std::move(branch);
  } else if (!state.branch().why_not.empty()) {
    result["no_branch"] = state.branch().why_not;
  }
  std::int64_t left_out = 0;
  result["tool_calls"] = calls_of_model(state, left_out);
  if (left_out > 0) result["tool_calls_left_out"] = left_out;
  if (!state.checks().empty()) result["checks"] = std::string(state.checks());
  result["cost"] = state.is_cost_known() ? Json(state.cost()) : Json();
  return result;
}

}  // namespace filecall::client
