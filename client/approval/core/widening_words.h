// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace filecall::client {

/// Whether a word behind those that a rule names makes the verb do another thing than the rule
/// says: `git branch -v` with -D, `git remote -v` with remove, `git push origin main` with --force.
/// What the rule names is before `at`; the verb is words[verb], and `names_more` says that the rule
/// names more than the verb. By what is known of the programs; escapes are not in it (see
/// is_escape()). Pure; any thread.
bool is_widened(std::string_view program, const std::vector<std::string>& words, std::size_t verb,
                std::size_t at, bool names_more);

}  // namespace filecall::client
