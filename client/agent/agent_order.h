// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "client/agent/core/agent_settings.h"
#include "client/approval/core/call.h"
#include "client/approval/core/policy.h"
#include "ipc/json.h"

namespace filecall::client {

/// A run that is to begin or to go on. Plain data.
struct AgentOrder {
  std::string run;
  std::string thread;
  /// Of a run that begins; one that goes on has them in its records.
  AgentSettings settings;
  Policy policy;                  ///< As it is now.
  std::string scenario_digest;    ///< The same.
  std::string working_directory;  ///< The worker's.
  /// The files that say what is asked: policies and the scenario. Absolute, without links.
  std::vector<std::string> own_files;
  std::string thread_title;  ///< Of a thread that begins; empty: as the log names it.
  /// Budgets that were named for it, as AgentBudgets::to_json() has them, 0 for no limit: they
  /// count for a run that goes on, too.
  Json given_budgets = Json::object();
  /// What was named for it: members of {scenario, models, planner, editing}, as run.begun has them.
  /// A run that has begun has its own, so another one is refused.
  Json named = Json::object();
  /// Lies beside the run's requests, for reports and graders; an object.
  Json metadata = Json::object();
};

}  // namespace filecall::client
