// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "client/agent/plan/scenario.h"

namespace filecall::client {

/// Files of scenarios: NAME.yaml in the folder `scenarios/` of the configuration. One with the name
/// of a built-in scenario takes its place. Blocking; any thread.

/// `configuration`: $XDG_CONFIG_HOME/filecall, or empty: there is none.
std::string scenarios_folder(const std::string& configuration);

/// The scenario that `wanted` names: a path (with a '/', or ending in .yaml or .yml), or a name.
/// Failures: not_found, with the names that there are; invalid_argument, with all complaints; the
/// file's.
Result<Scenario> find_scenario(const std::string& wanted, const std::string& configuration);

struct ScenarioListing {
  std::vector<Scenario> scenarios;      ///< Built-in ones first, then files by name.
  std::vector<std::string> unreadable;  ///< Says why, of each file that is none.
};
/// Failure: the folder's, when it is there.
Result<ScenarioListing> list_scenarios(const std::string& configuration);

}  // namespace filecall::client
