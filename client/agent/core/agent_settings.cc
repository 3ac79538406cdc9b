// SPDX-License-Identifier: MIT
#include "client/agent/core/agent_settings.h"

#include <utility>

#include "client/agent/core/record_member.h"

namespace filecall::client {

Json AgentBudgets::to_json() const {
  Json json = Json::object();
  if (steps > 0) json["steps"] = steps;
  if (calls > 0) json["calls"] = calls;
  if (tokens > 0) json["tokens"] = tokens;
  if (cost > 0) json["cost"] = cost;
  if (writes > 0) json["writes"] = writes;
  if (time > Duration::zero()) json["time_ms"] = to_ms(time);
  return json;
}

AgentBudgets AgentBudgets::of(const Json& json) {
  AgentBudgets budgets;
  budgets.steps = number_at(json, "steps");
  budgets.calls = number_at(json, "calls");
  budgets.tokens = number_at(json, "tokens");
  budgets.cost = real_at(json, "cost");
  budgets.writes = number_at(json, "writes");
  budgets.time = milliseconds(number_at(json, "time_ms"));
  return budgets;
}

std::string_view to_string(Planner planner) {
  return planner == Planner::kTools ? "tools" : "json";
}

std::string_view to_string(Editing editing) {
  switch (editing) {
    case Editing::kDirect:
      return "direct";
    case Editing::kBranch:
      return "branch";
    case Editing::kProposal:
      return "proposal";
  }
  return "direct";
}

Editing parse_editing(std::string_view name) {
  if (name == "branch") return Editing::kBranch;
  return name == "proposal" ? Editing::kProposal : Editing::kDirect;
}

Json AgentSettings::check_calls() const {
  Json calls = Json::array();
  for (Json check : checks) {
    if (check.is_object() && !check.contains("check")) check["check"] = true;
    calls.push_back({{"tool", "tool.run"}, {"args", std::move(check)}, {"check", true}});
  }
  return calls;
}

Json AgentSettings::to_json() const {
  Json json = {{"goal", goal},
               {"scenario", scenario},
               {"scenario_digest", scenario_digest},
               {"policy_digest", policy_digest},
               {"catalog_digest", catalog_digest},
               {"instructions", instructions},
               {"models", models},
               {"planner", std::string(to_string(planner))},
               {"tools", tools},
               {"hidden", hidden},
               {"editing", std::string(to_string(editing))},
               {"report", has_report},
               {"context_tokens", context_tokens},
               {"budgets", budgets.to_json()}};
  if (!policy_file.empty()) json["policy_file"] = policy_file;
  if (commentary_characters != AgentSettings().commentary_characters) {
    json["commentary_characters"] = commentary_characters;
  }
  if (!checks.empty()) json["checks"] = checks;
  if (!report_instructions.empty()) json["report_instructions"] = report_instructions;
  if (!earlier.empty()) json["earlier"] = earlier;
  if (!todo.is_null()) json["todo"] = todo;
  if (!branch.is_null()) json["branch"] = branch;
  if (!granted.empty()) json["granted"] = granted;
  if (!catalog_request.empty()) json["catalog_request"] = catalog_request;
  if (!task.is_null()) json["task"] = task;
  if (repeat > 0) json["repeat"] = repeat;
  return json;
}

std::string other_settings(const Json& named, const AgentSettings& settings) {
  const Json own = settings.to_json();
  for (const auto& [name, wanted] : named.items()) {
    const Json& is = value_at(own, name.c_str());
    if (is == wanted) continue;
    // Without a repository it proposes changes instead.
    if (name == "editing" && wanted == "branch" && is == "proposal") continue;
    const auto text = [](const Json& value) {
      return value.is_string() ? value.get<std::string>() : dump_json(value);
    };
    if (name == "policy_file") {
      return is.is_null()
                 ? "it began without a --policy"
                 : fmt::format("it began with the policy {}, not {}", text(is), text(wanted));
    }
    return fmt::format("it began with the {} {}, not {}", name, text(is), text(wanted));
  }
  return {};
}

AgentSettings AgentSettings::of(const Json& json) {
  AgentSettings settings;
  settings.goal = text_at(json, "goal");
  settings.scenario = text_at(json, "scenario");
  settings.scenario_digest = text_at(json, "scenario_digest");
  settings.policy_digest = text_at(json, "policy_digest");
  settings.policy_file = text_at(json, "policy_file");
  settings.catalog_digest = text_at(json, "catalog_digest");
  settings.instructions = text_at(json, "instructions");
  settings.models = texts_at(json, "models");
  settings.planner = text_at(json, "planner") == "tools" ? Planner::kTools : Planner::kJson;
  settings.tools = texts_at(json, "tools");
  settings.hidden = texts_at(json, "hidden");
  settings.editing = parse_editing(text_at(json, "editing"));
  for (const Json& check : value_at(json, "checks")) settings.checks.push_back(check);
  settings.has_report = flag_at(json, "report", true);
  settings.report_instructions = text_at(json, "report_instructions");
  settings.context_tokens = number_at(json, "context_tokens", settings.context_tokens);
  settings.commentary_characters =
      number_at(json, "commentary_characters", settings.commentary_characters);
  settings.budgets = AgentBudgets::of(value_at(json, "budgets"));
  if (value_at(json, "earlier").is_array()) settings.earlier = value_at(json, "earlier");
  settings.todo = value_at(json, "todo");
  settings.branch = value_at(json, "branch");
  settings.granted = texts_at(json, "granted");
  settings.catalog_request = text_at(json, "catalog_request");
  settings.task = value_at(json, "task");
  settings.repeat = number_at(json, "repeat");
  return settings;
}

}  // namespace filecall::client
