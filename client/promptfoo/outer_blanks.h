// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace filecall::client {

/// The text without blanks, tabs and line ends around it; empty: there is nothing else in it. A
/// part of `text`. Pure.
constexpr std::string_view without_outer_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

}  // namespace filecall::client
