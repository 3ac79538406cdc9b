// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"

namespace filecall::worker::git {

/// Removes a directory and all below it; never through a link, and nothing that lies on another
/// file system. `directory` is an open one in which `name` lies. Failure: errno's, or
/// failed_precondition (another file system); then a part may be gone. Blocks; any thread.
Result<void> remove_tree(int directory, const std::string& name);

}  // namespace filecall::worker::git
