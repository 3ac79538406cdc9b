// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "client/agent/scenarios/scenario_files.h"
#include "client/approval/core/policy.h"
#include "client/approval/policy_files.h"
#include "client/cli/agent_setup.h"
#include "client/cli/exit_code.h"
#include "client/cli/options.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

std::string scenario_configuration() {
  return configuration_folder(std::getenv("XDG_CONFIG_HOME"), std::getenv("HOME"));
}

Result<int> list_all_scenarios(const Arguments& arguments) {
  TRY_ASSIGN(const ScenarioListing listing, list_scenarios(scenario_configuration()));
  for (const std::string& problem : listing.unreadable) print_error(problem);
  if (arguments.has("json")) {
    Json scenarios = Json::array();
    for (const Scenario& one : listing.scenarios) scenarios.push_back(scenario_json(one));
    print_json({{"scenarios", std::move(scenarios)}, {"unreadable", listing.unreadable}});
    return kExitSuccess;
  }
  std::vector<std::vector<std::string>> rows = {{"scenario", "editing", "description"}};
  for (const Scenario& one : listing.scenarios) {
    rows.push_back({one.name, one.editing, one_line(one.description, 200)});
  }
  print(table(rows));
  return kExitSuccess;
}

Result<int> show_scenario(const Arguments& arguments) {
  TRY_ASSIGN(const Scenario scenario,
             find_scenario(arguments.words()[1], scenario_configuration()));
  // A run would refuse it.
  TRY(Policy::read({{scenario.file, scenario.text, PolicyText::Kind::kScenario}}));
  tell_unknown_tools(scenario.tools, scenario.file);
  if (arguments.has("json")) {
    print_json(scenario_json(scenario));
  } else {
    print(scenario.text);
  }
  return kExitSuccess;
}

Result<int> manage_scenarios(const Arguments& arguments) {
  const std::string& verb = arguments.words()[0];
  const std::size_t count = arguments.words().size() - 1;
  if (verb == "list" && count == 0) return list_all_scenarios(arguments);
  if (verb == "show" && count == 1) return show_scenario(arguments);
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("scenario {}: write list, or show NAME|FILE", one_line(verb, 60)));
}

}  // namespace

int scenario_command(const Arguments& arguments) {
  const auto code = manage_scenarios(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
