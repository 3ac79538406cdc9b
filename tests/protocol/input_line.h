// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string>

namespace filecall {

/// The next line of standard input without its end, of any length; false: there is no more. What
/// has no end is no line.
inline bool read_input_line(std::string* line) {
  line->clear();
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    if (c == '\n') return true;
    *line += static_cast<char>(c);
  }
  return false;
}

}  // namespace filecall
