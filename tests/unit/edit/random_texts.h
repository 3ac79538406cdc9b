// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "edit/text_lines.h"

namespace filecall::edit {

/// How many random cases a test makes. FILECALL_RANDOM_COUNT sets a hundred times that;
/// scripts/test
/// --long takes a million.
inline unsigned random_rounds() {
  const char* wanted = std::getenv("FILECALL_RANDOM_COUNT");
  return wanted ? static_cast<unsigned>(std::strtoul(wanted, nullptr, 10) / 100) : 200;
}

/// Texts of few different lines, with all kinds of ends, so that equal places abound.
class RandomTexts {
 public:
  explicit RandomTexts(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::vector<std::string> lines() {
    std::vector<std::string> out(below(40));
    for (std::string& line : out) line = fresh_line();
    return out;
  }
  void change(std::vector<std::string>& lines) {
    for (std::size_t count = below(5); count > 0; --count) {
      const auto at = lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size() + 1));
      if (at == lines.end() || below(2) == 0) {
        lines.insert(at, fresh_line());
      } else if (below(2) == 0) {
        lines.erase(at);
      } else {
        *at = fresh_line();
      }
    }
  }
  /// The last line sometimes has no end, the text sometimes a mark.
  std::string text(const std::vector<std::string>& lines) {
    std::string out = below(20) == 0 ? std::string(kByteOrderMark) : "";
    for (const std::string& line : lines) out += line;
    if (below(4) == 0 && out.ends_with('\n')) out.pop_back();
    return out;
  }

 private:
  std::string fresh_line() {
    constexpr std::string_view kWords[] = {"",     "a", "  b",  "\tc",   "d ",  "-- e", "++ f",
                                           "@@ g", "}", "\\ h", "*** i", "“j”", "\r"};
    const std::string_view word = kWords[below(std::size(kWords))];
    const std::string number = below(3) == 0 ? std::to_string(below(30)) : "";
    return std::string(word) + number + (below(6) == 0 ? "\r\n" : "\n");
  }

  std::mt19937 random_;
};

}  // namespace filecall::edit
