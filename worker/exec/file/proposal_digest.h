// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ipc/json.h"

namespace filecall::worker::file {

/// What is decided on when somebody decides on a proposal: SHA-256, in hex, over the path, the
/// operation, the base, the new content, the mode and the directories of each of its changes, in
/// their order. Members that only explain (diffs, warnings) do not count. Pure.
std::string proposal_digest(const Json& changes);

}  // namespace filecall::worker::file
