// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "client/approval/core/call.h"
#include "ipc/json.h"

namespace filecall::client {

/// What `tool_sandbox` of system.describe's answer says. What is missing is unknown, which counts
/// as no sandbox. Pure.
SandboxFacts described_sandbox(const Json& tool_sandbox);

/// Where the effects of calls go.
struct WorkerPlace {
  SandboxFacts sandbox = {};
  std::string file_directory = {};  ///< What paths of file.* and git.* are relative to; or empty.
};

/// What the worker that lives now says of itself: an answer of an earlier one may be about another
/// configuration. nullopt: none lives. Blocking: reads its status file.
std::optional<WorkerPlace> place_of_worker(const std::string& root);

}  // namespace filecall::client
