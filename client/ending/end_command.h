// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace filecall::client {

/// Runs `command` by /bin/sh -c and waits for it, however long that takes. It has `input` as its
/// standard input, this program's standard error for both outputs, and `variables` beside this
/// program's environment. The exit code; 128 and the signal's number when a signal ended it.
/// Failure: there is no shell, or no memory.
Result<int> run_end_command(const std::string& command, const std::string& input,
                            const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace filecall::client
