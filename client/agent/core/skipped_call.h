// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "client/agent/core/agent_judge.h"
#include "client/agent/core/agent_machine.h"
#include "client/agent/core/agent_state.h"

namespace filecall::client {

/// The records of calls that are not made. `kind`: "denied" or "not_run". Pure, all of them.
AgentRecord skipped_call(const AgentStep& step, const AgentCall& call, const char* kind,
                         const std::string& reason);
AgentRecord denied_call(const AgentStep& step, const AgentCall& call, const Ruling& ruling);
/// Of the calls of a step that have not begun.
std::vector<AgentRecord> skipped_rest(const AgentStep& step, const std::string& reason);

/// The calls behind one that could not be made, in a step with effects: they will not run, so
/// nobody is asked for them. None where no call has failed.
std::vector<AgentRecord> skipped_behind_failure(const AgentStep& step);

}  // namespace filecall::client
