// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "client/agent/core/agent_machine.h"
#include "client/agent/core/agent_state.h"

namespace filecall::client {

/// What cancels a run that nobody drives.
struct RunCancel {
  std::vector<AgentRecord> records;  ///< Those that the machine would write, in their order.
  /// The run ends with them. False: what a call has done is not known yet, and the client that goes
  /// on with the run writes it down and ends it.
  bool is_end = false;
  std::vector<std::string> requests;  ///< Asked and not recorded as answered: they may execute.
};

/// Precondition: the run has begun and is not over. Pure.
RunCancel plan_cancel(const AgentState& state, const std::string& why);

}  // namespace filecall::client
