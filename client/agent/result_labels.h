// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "client/agent/core/agent_state.h"
#include "ipc/durability.h"
#include "ipc/json.h"
#include "spool/layout.h"

namespace filecall::client {

/// The request of a run's result lies there with the labels of its task as they were. It gets the
/// metadata of `request`, which is its text as it would be now: graders read what was corrected
/// since. All else in it stays, for it has its answer. Blocking.
Result<void> correct_result_labels(const spool::Layout& layout, const std::string& id,
                                   std::string_view request, Durability durability);

/// What the requests of a run that goes on say for graders: as it was when the run began, with the
/// labels of its last result, where somebody has corrected them since. An object; empty: the run is
/// of no task. Blocking.
Json task_of_run(const spool::Layout& layout, const std::string& run, const AgentState& state);

}  // namespace filecall::client
