// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace filecall::client {

/// Whether a word from `at` on makes the command do another thing than the words before it, which a
/// rule names: `git branch -v` with -D, `git remote -v` with remove, `git push origin main` with
/// --force. A rule that names no more than the program is for all of it. By what is known of the
/// programs; escapes are not in it (see is_escape()). Pure; any thread.
bool is_widened(std::string_view program, const std::vector<std::string>& words, std::size_t at);

}  // namespace filecall::client
