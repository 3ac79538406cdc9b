// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/time.h"
#include "client/agent/core/agent_state.h"

namespace filecall::client {

/// Which budget of a run is used, as a sentence; empty: none. Pure.
std::string over_budget_of_plans(const AgentState& state, WallTime now);
/// Why a budget of cost cannot be kept, as a sentence; empty: it can, or there is none. Pure.
std::string unknown_cost(const AgentState& state);
/// Before one more call of a tool; `is_write`: it has effects.
std::string over_budget_of_calls(const AgentState& state, bool is_write, WallTime now);

/// Of a run that ended on a budget: whether these leave it something, so that it can go on. Pure.
bool can_continue_with(const AgentState& state, const Json& budgets, WallTime now);

}  // namespace filecall::client
