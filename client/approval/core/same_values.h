// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace filecall::client {

/// The last of these words is the signal 9, or says it: -sKILL, --signal kill, -SIGKILL, -n 09. At
/// least two words. Pure.
bool is_kill_signal(const std::vector<std::string>& words);
/// A mode of chmod that gives all rights to all: 0777, a+rwx, ugo=rwx, +rwx. Pure.
bool is_mode_of_all(const std::string& word);

}  // namespace filecall::client
