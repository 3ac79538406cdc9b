// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace filecall {

/// A word as a POSIX shell reads it back: as it is, or in single quotes. For commands that people
/// are shown and may paste. Pure.
std::string shell_word(std::string_view word);

/// The same where a person decides on it: what is not seen stands in $'...' as an escape, so that
/// no two words look alike. Bash, zsh and ksh read it back.
std::string visible_shell_word(std::string_view word);

}  // namespace filecall
