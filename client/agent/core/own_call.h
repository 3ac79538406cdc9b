// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "client/agent/core/agent_machine.h"
#include "client/agent/core/agent_state.h"
#include "ipc/json.h"

namespace filecall::client {

/// A call of the client's own tools, todo.read and todo.write, which no worker serves: its outcome,
/// and the list that it wrote. `todo` is the list before it. Pure.
std::vector<AgentRecord> own_call(const AgentStep& step, const AgentCall& call, const Json& todo);

}  // namespace filecall::client
