// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "client/agent/core/agent_machine.h"
#include "client/agent/core/agent_state.h"
#include "ipc/durability.h"
#include "ipc/json.h"
#include "spool/layout.h"

namespace filecall::client {

/// Whose requests they are.
struct RunLabels {
  std::string run;
  std::string thread;
  Json metadata = Json::object();  ///< Of its task, for graders.
};

/// Whether a request is for what the run came to.
bool is_result_of(const AgentState& state, const std::string& run, const std::string& id);

/// The text of a request that a run asks. Pure.
std::string run_request_text(const RunLabels& labels, const AgentState& state,
                             const AgentEffect& effect, bool is_streamed);

/// Publishes the request for the result of a run that has ended and that nobody drives any more.
/// False: no worker runs in the root that would answer it; nothing was published. Failures: the
/// root's (one that others may write to is refused), the file's.
Result<bool> leave_result_request(const spool::Layout& layout, const RunLabels& labels,
                                  const AgentState& state, Durability durability);

}  // namespace filecall::client
