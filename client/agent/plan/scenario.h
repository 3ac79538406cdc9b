// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ipc/json.h"

namespace filecall::client {

/// How far a run may go; 0: without a limit.
struct ScenarioBudgets {
  std::int64_t steps = 40;
  std::int64_t calls = 200;
  std::int64_t tokens = 0;  ///< Of all calls of the model.
  double cost = 0;          ///< US$, the same.
  std::int64_t writes = 0;  ///< Calls with effects.
  Duration time{};

  bool operator==(const ScenarioBudgets&) const = default;
};

/// What an agent is for and what it may use: a YAML file. Plain data.
struct Scenario {
  std::string name;  ///< Letters, digits, '-' and '_'.
  std::string description;
  std::string instructions;         ///< For the model, before the rules that all have.
  std::vector<std::string> models;  ///< A chain: the next one when one fails; empty: the default.
  std::string planner = "json";     ///< Or "tools".
  std::vector<std::string> tools;   ///< Globs of what the model may see.
  std::string editing = "direct";   ///< Or "branch", "proposal".
  std::vector<Json> checks;         ///< Params of tool.run, after changes of files.
  ScenarioBudgets budgets;
  bool has_report = true;           ///< `report: none`: the plan's summary is the report.
  std::string report_instructions;  ///< Beside those that every report has.
  std::int64_t context_tokens = 100'000;
  std::int64_t commentary_characters = 160;
  Json policy;  ///< As it was written; null: none.

  std::string file;    ///< For messages: a path, or "built-in scenario NAME".
  std::string text;    ///< The whole file: a policy is read of it, so that its lines are right.
  std::string digest;  ///< "sha256:..." of what it says, without comments and layout.
  bool is_built_in = false;
};

/// `name`: what it is called when the text does not say. Failure: invalid_argument, with all
/// complaints, each with file, line and column. Rules of `policy` are not checked here. Pure.
Result<Scenario> read_scenario(const std::string& text, const std::string& file,
                               std::string_view name);

/// All that it says, for people and programs; without its text. Pure.
Json scenario_json(const Scenario& scenario);

/// explore, code, editor_code and kubeops, in this order. They live as long as the process.
const std::vector<Scenario>& built_in_scenarios();

}  // namespace filecall::client
