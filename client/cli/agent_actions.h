// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "client/agent/core/agent_state.h"
#include "client/cli/options.h"
#include "spool/layout.h"

namespace filecall::client {

/// Whether a first word of `filecall agent` is an action and no goal.
bool is_agent_action(std::string_view word);

/// list, show RUN, steer RUN TEXT, cancel RUN: what needs no model. The exit code.
Result<int> agent_action(const Arguments& arguments);

/// The runs of a root, and what of them cannot be read.
Result<int> agent_list(const Arguments& arguments);
/// Many runs of a file of tasks, graded like any batch.
Result<int> agent_batch(const Arguments& arguments, const std::string& path);
/// A run played again without a model; where it would now go another way.
Result<int> agent_replay(const Arguments& arguments, const std::string& run);
/// Prints a scripted model that says what the model said in a run.
Result<int> agent_script(const Arguments& arguments, const std::string& run);
/// Takes back the last change set that a run has applied, as `filecall proposal undo` does.
Result<int> agent_undo(const Arguments& arguments, const std::string& run);

/// A run as its records say it; AgentState::damage() says whether they are whole. Failures:
/// not_found; data_loss, that of its beginning is damaged; the thread's.
Result<AgentState> read_agent_state(const spool::Layout& layout, const std::string& thread,
                                    const std::string& run);

}  // namespace filecall::client
