// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/agent/core/agent_state.h"
#include "ipc/json.h"

namespace filecall::client {

/// What a run came to, as one object: what --json prints, and what {run}.result answers, so that
/// every run has one response file to grade. Pure.
Json run_result(const std::string& run, const AgentState& state);

/// What a run says in its end: the report; when that is blank, the plan's summary; else that there
/// is none. `step`: the last one, or null.
std::string report_or_summary(std::string report, const AgentStep* step);

}  // namespace filecall::client
