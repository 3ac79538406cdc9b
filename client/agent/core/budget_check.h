// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/time.h"
#include "client/agent/core/agent_state.h"

namespace filecall::client {

/// Which budget of a run is used, as a sentence; empty: none. Pure.
std::string over_budget_of_plans(const AgentState& state, WallTime now);
/// Before one more call of a tool; `is_write`: it has effects.
std::string over_budget_of_calls(const AgentState& state, bool is_write, WallTime now);

}  // namespace filecall::client
