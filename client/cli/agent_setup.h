// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "client/agent/agent_order.h"
#include "client/cli/options.h"
#include "client/engine/orchestrator.h"
#include "spool/layout.h"

namespace filecall::client {

/// "run-" and ten characters of a-z and 2-7: new every time.
std::string new_agent_run_id();

/// The scenario's name that stands for none.
inline constexpr std::string_view kDefaultScenario = "explore";

/// What the command line, the scenario and the policies say of a run. `scenario` is a built-in
/// one's name, that of a file in the configuration's scenarios/, or a path. `policy_file` counts
/// where the command line names none: a run keeps the one that it was begun with. Failures:
/// invalid_argument, not_found; each names the file and the place.
Result<AgentOrder> agent_order(const Arguments& arguments, const OrchestratorOptions& options,
                               const std::string& scenario, const std::string& policy_file = "");

/// The same for a run that has begun: its records say the rest.
Result<AgentOrder> resumed_order(const Arguments& arguments, const OrchestratorOptions& options,
                                 const spool::Layout& layout, const std::string& run);

/// Says on standard error which tools of a scenario no command is: a worker may have its own.
void tell_unknown_tools(const std::vector<std::string>& tools, const std::string& file);

/// The thread of a run that has begun, for resume, show and the like. Failure: not_found.
Result<std::string> thread_of_known_run(const spool::Layout& layout, const std::string& run);

}  // namespace filecall::client
