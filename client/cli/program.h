// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace filecall::client {

/// The program: `words` are its arguments without its own name; the exit code.
int run_program(const std::vector<std::string>& words);

}  // namespace filecall::client
