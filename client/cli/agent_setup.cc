// SPDX-License-Identifier: MIT
#include "client/cli/agent_setup.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <limits>

#include "base/random.h"
#include "client/agent/scenarios/scenario_files.h"
#include "client/approval/core/rule_names.h"
#include "client/approval/led_paths.h"
#include "client/approval/policy_files.h"
#include "client/cli/agent_actions.h"
#include "client/cli/output.h"
#include "client/engine/remembered_launch.h"
#include "client/report/text_layout.h"
#include "client/threads/run_records.h"
#include "os/process.h"

namespace filecall::client {
namespace {

constexpr std::size_t kRunBytesMax = 100;

std::string absolute_path(const std::string& path) {
  std::error_code status;
  const auto whole = std::filesystem::absolute(path, status).lexically_normal();
  return status ? path : whole.string();
}

void use_scenario(const Scenario& scenario, AgentOrder& order) {
  AgentSettings& settings = order.settings;
  // The run may go on in another directory.
  settings.scenario = scenario.is_built_in ? scenario.name : absolute_path(scenario.file);
  settings.instructions = scenario.instructions;
  settings.models = scenario.models;
  settings.planner = scenario.planner == "tools" ? Planner::kTools : Planner::kJson;
  settings.tools = scenario.tools;
  settings.editing = parse_editing(scenario.editing);
  settings.checks = scenario.checks;
  settings.has_report = scenario.has_report;
  settings.report_instructions = scenario.report_instructions;
  settings.context_tokens = scenario.context_tokens;
  settings.commentary_characters = scenario.commentary_characters;
  settings.budgets = {scenario.budgets.steps, scenario.budgets.calls,  scenario.budgets.tokens,
                      scenario.budgets.cost,  scenario.budgets.writes, scenario.budgets.time};
  order.scenario_digest = scenario.digest;
}

Result<void> read_budgets(const Arguments& arguments, AgentBudgets& budgets) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  TRY_ASSIGN(budgets.steps, arguments.integer("max-steps", budgets.steps, 1, kMost));
  TRY_ASSIGN(budgets.calls, arguments.integer("max-calls", budgets.calls, 1, kMost));
  TRY_ASSIGN(budgets.writes, arguments.integer("max-writes", budgets.writes, 0, kMost));
  TRY_ASSIGN(budgets.tokens, arguments.integer("max-tokens", budgets.tokens, 1, kMost));
  TRY_ASSIGN(budgets.cost, arguments.number("max-cost", budgets.cost));
  TRY_ASSIGN(budgets.time, arguments.duration("max-time", budgets.time));
  return {};
}

/// Those that the command line names.
Json named_budgets(const Arguments& arguments, const AgentBudgets& budgets) {
  Json named = Json::object();
  if (arguments.has("max-steps")) named["steps"] = budgets.steps;
  if (arguments.has("max-calls")) named["calls"] = budgets.calls;
  if (arguments.has("max-writes")) named["writes"] = budgets.writes;
  if (arguments.has("max-tokens")) named["tokens"] = budgets.tokens;
  if (arguments.has("max-cost")) named["cost"] = budgets.cost;
  if (arguments.has("max-time")) named["time_ms"] = to_ms(budgets.time);
  return named;
}

Result<void> read_model_options(const Arguments& arguments, AgentSettings& settings) {
  if (arguments.has("model")) settings.models.clear();
  for (const std::string& list : arguments.all("model")) {
    std::size_t at = 0;
    while (at <= list.size()) {
      const std::size_t end = std::min(list.find(',', at), list.size());
      if (end > at) settings.models.push_back(list.substr(at, end - at));
      at = end + 1;
    }
  }
  if (arguments.has("planner")) {
    settings.planner = arguments.text("planner") == "tools" ? Planner::kTools : Planner::kJson;
  }
  if (arguments.has("editing")) settings.editing = parse_editing(arguments.text("editing"));
  return {};
}

/// A rule with such a name decides nothing of what its author has in mind. A policy may be for
/// several roots, and a worker may have commands of its own: the run goes on.
void tell_unknown_names(const Policy& policy) {
  for (const auto& rule : policy.rules()) {
    for (const std::string& one : unknown_names(*rule)) {
      print_error(without_controls(one) + "; the rule decides on no such call");
    }
  }
}

}  // namespace

void tell_unknown_tools(const std::vector<std::string>& tools, const std::string& file) {
  for (const std::string& tool : tools) {
    if (tool.starts_with("todo.")) continue;  // The client's own.
    const std::string unknown = unknown_tool(tool);
    if (!unknown.empty()) {
      print_error(without_controls(fmt::format("{}: tools: {}", file, unknown)));
    }
  }
}

std::string new_agent_run_id() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  Random random(random_seed());
  std::string id = "run-";
  for (int i = 0; i < 10; ++i) id += kLetters[random.below(kLetters.size())];
  return id;
}

Result<std::string> thread_of_known_run(const spool::Layout& layout, const std::string& run) {
  TRY_ASSIGN(const auto place, look_for_run(layout, run));
  if (place) return place->thread;
  return fail(
      ErrorCode::kNotFound,
      fmt::format("{}: no such run in {}; 'filecall agent list' shows them", run, layout.root()));
}

Result<AgentOrder> agent_order(const Arguments& arguments, const OrchestratorOptions& options,
                               const std::string& scenario, const std::string& policy_file) {
  AgentOrder order;
  order.run = arguments.has("run") ? arguments.text("run") : new_agent_run_id();
  // It would be taken for an option where it is named again.
  const bool is_plain = !order.run.starts_with('-') &&
                        order.run.find_first_not_of(
                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "_-") == std::string::npos;
  if (order.run.empty() || order.run.size() > kRunBytesMax || !is_plain) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("--run: '{}' is not 1 to {} letters, digits, '_' or '-', or begins with '-'",
                    order.run, kRunBytesMax));
  }
  const std::string configuration =
      configuration_folder(std::getenv("XDG_CONFIG_HOME"), std::getenv("HOME"));
  TRY_ASSIGN(const Scenario found, find_scenario(scenario, configuration));
  use_scenario(found, order);
  if (!found.is_built_in) tell_unknown_tools(found.tools, found.file);
  order.working_directory = working_directory_of(options.root);
  PolicyPlaces places;
  places.option = arguments.has("policy") ? absolute_path(arguments.text("policy")) : policy_file;
  order.settings.policy_file = places.option;
  places.configuration = configuration;
  // What was stored for a project is stored for the directory that its calls work in.
  places.project = order.working_directory;
  TRY_ASSIGN(std::vector<PolicyText> texts, read_policy_texts(places));
  if (!found.policy.is_null()) {
    // As a run has it that goes on: it names the file by its place.
    const std::string file = found.is_built_in ? found.file : absolute_path(found.file);
    texts.push_back({file, found.text, PolicyText::Kind::kScenario});
  }
  TRY_ASSIGN(order.policy, Policy::read(texts));
  for (const PolicyText& text : texts) order.own_files.push_back(path_without_links(text.file));
  if (!found.is_built_in) order.own_files.push_back(path_without_links(found.file));
  tell_unknown_names(order.policy);
  TRY(read_budgets(arguments, order.settings.budgets));
  order.given_budgets = named_budgets(arguments, order.settings.budgets);
  TRY(read_model_options(arguments, order.settings));
  if (arguments.has("scenario")) order.named["scenario"] = order.settings.scenario;
  if (arguments.has("policy")) order.named["policy_file"] = order.settings.policy_file;
  if (arguments.has("model")) order.named["models"] = order.settings.models;
  if (arguments.has("planner")) order.named["planner"] = arguments.text("planner");
  if (arguments.has("editing")) order.named["editing"] = arguments.text("editing");
  return order;
}

Result<AgentOrder> resumed_order(const Arguments& arguments, const OrchestratorOptions& options,
                                 const spool::Layout& layout, const std::string& run) {
  TRY_ASSIGN(const std::string thread, thread_of_known_run(layout, run));
  TRY_ASSIGN(const AgentState state, read_agent_state(layout, thread, run));
  const std::string scenario =
      arguments.has("scenario") ? arguments.text("scenario") : state.settings().scenario;
  TRY_ASSIGN(AgentOrder order,
             agent_order(arguments, options, scenario, state.settings().policy_file));
  order.run = run;
  order.thread = thread;
  return order;
}

}  // namespace filecall::client
