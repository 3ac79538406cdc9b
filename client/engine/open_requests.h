// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"

namespace filecall::client {

/// Whether the root has a request without a response: one that its worker executes, or may take at
/// any moment. Read from the directories, because a status file is as old as its heartbeat. A
/// request that is dropped during the look may be missed. Blocking; any thread. Failure: a
/// directory cannot be read.
Result<bool> has_open_requests(const std::string& root);

}  // namespace filecall::client
