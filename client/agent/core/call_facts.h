// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "client/agent/core/agent_judge.h"
#include "client/agent/core/agent_state.h"
#include "client/agent/core/tool_catalog.h"

namespace filecall::client {

/// Whether a call changes something: what the worker does not describe may.
bool has_call_effects(const AgentCall& call, const AgentState& state, const ToolCatalog& catalog);

/// What the policy must know of a call. Pure.
CallFacts call_facts(const AgentCall& call, const AgentState& state, const ToolCatalog& catalog,
                     WallTime now);

/// All that tools have answered.
std::vector<std::string> outside_texts(const AgentState& state);

}  // namespace filecall::client
