// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "ipc/json.h"

namespace filecall::client {

/// How far a run may go; 0: without a limit.
struct AgentBudgets {
  std::int64_t steps = 40;
  std::int64_t calls = 200;
  std::int64_t tokens = 0;  ///< Of all calls of the model.
  double cost = 0;          ///< US$, the same.
  std::int64_t writes = 0;  ///< Calls with effects that were not refused.
  Duration time{};          ///< Without the time that it was parked.

  Json to_json() const;
  static AgentBudgets of(const Json& json);
  bool operator==(const AgentBudgets&) const = default;
};

/// How the model says what it wants: one JSON object in its text, or the provider's tool calls.
enum class Planner : std::uint8_t { kJson, kTools };
/// How files are changed: by the calls themselves, in a branch's own worktree, or by one change set
/// of which a person chooses.
enum class Editing : std::uint8_t { kDirect, kBranch, kProposal };

std::string_view to_string(Planner planner);
std::string_view to_string(Editing editing);
Editing parse_editing(std::string_view name);

/// All that a run was begun with: data of its record run.begun, so that the run is the fold of its
/// records whatever became of files and options since. Plain data.
struct AgentSettings {
  std::string goal;
  std::string scenario;
  std::string scenario_digest;
  std::string policy_file;  ///< --policy, absolute; as long as the run lives.
  std::string policy_digest;
  std::string catalog_digest;
  std::string instructions;
  std::vector<std::string> models;  ///< A chain: the next one when one gave up; "" is the default.
  Planner planner = Planner::kJson;
  std::vector<std::string> tools;   ///< Globs: what the model may see.
  std::vector<std::string> hidden;  ///< Globs: what it does not, since it is denied.
  Editing editing = Editing::kDirect;
  std::vector<Json> checks;         ///< Params of tool.run, after changes of files.
  bool has_report = true;           ///< Else the plan's summary is the report.
  std::string report_instructions;  ///< Beside those that every report has.
  std::int64_t context_tokens = 100'000;
  std::int64_t commentary_characters = 160;  ///< So much a plan may say of itself.
  AgentBudgets budgets;
  /// What was said in the thread before: {role, text}.
  Json earlier = Json::array();
  Json todo;  ///< The thread's list as it was: {version, items}; null: none.
  /// Of a run with a branch of its own, what its commits name: {thread}; null: it has none.
  Json branch;
  std::vector<std::string> granted;  ///< Rules that earlier runs of the thread were given.
  std::string catalog_request;       ///< Whose answer is the catalog.
  Json task;                         ///< What its requests say for graders; null: nothing.
  std::int64_t repeat = 0;           ///< Which of several runs of one goal; 0: the only one.

  /// The checks as calls of a plan: {tool, args, check}. A program that ends with another exit code
  /// than 0 is a check that failed.
  Json check_calls() const;
  Json to_json() const;
  static AgentSettings of(const Json& json);
};

/// What of `named` ({scenario, models, planner, editing}) the settings are not: "it began with the
/// model a, not b". Empty: nothing.
std::string other_settings(const Json& named, const AgentSettings& settings);

}  // namespace filecall::client
