// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace filecall::worker::kube {

constexpr bool is_digit_char(char c) { return c >= '0' && c <= '9'; }
/// What tokens are made of.
constexpr bool is_token_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit_char(c) || c == '_' ||
         c == '-';
}

/// Whether a token may begin at this place: not behind another character of one, unless with a
/// dash.
inline bool is_word_begin(std::string_view text, std::size_t at) {
  return at == 0 || !is_token_char(text[at - 1]) || text[at] == '-';
}

/// By byte: whether it is of a token and no dash, so that behind it only a dash may begin one.
inline constexpr auto kInsideWord = [] {
  std::array<bool, 256> inside{};
  for (int byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<char>(byte);
    inside[static_cast<std::size_t>(byte)] = is_token_char(c) && c != '-';
  }
  return inside;
}();

/// Calls `visit` with every place of a text that is_word_begin(), in order. Most bytes of most
/// texts are inside a word: these are only passed. Pure.
template <typename Visit>
void for_each_word_begin(std::string_view text, Visit visit) {
  const auto is_inside = [text](std::size_t at) {
    return kInsideWord[static_cast<unsigned char>(text[at])];
  };
  for (std::size_t at = 0; at < text.size();) {
    visit(at);
    const bool is_token = is_inside(at) || text[at] == '-';
    ++at;
    if (!is_token) continue;
    while (at < text.size() && is_inside(at)) ++at;
    // What ends a word is behind one of its characters: unless it is a dash, the next one begins.
    if (at < text.size() && text[at] != '-') ++at;
  }
}

}  // namespace filecall::worker::kube
