// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace filecall {

/// A word as a POSIX shell reads it back: as it is, or in single quotes. For commands that people
/// are shown and may paste. Pure.
std::string shell_word(std::string_view word);

}  // namespace filecall
