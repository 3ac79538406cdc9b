// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "client/agent/core/agent_state.h"
#include "ipc/json.h"

namespace filecall::client {

/// What a person sees of a preview: the diffs of a change set, the changed fields of an object, or
/// why there is none. Empty: the arguments say all. Bounded. Pure.
std::string preview_text(const AgentCall& call);

/// Ids of the hunks that may be chosen.
std::vector<std::string> preview_hunks(const AgentCall& call);

}  // namespace filecall::client
