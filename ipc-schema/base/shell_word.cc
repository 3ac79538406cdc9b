// SPDX-License-Identifier: MIT
#include "base/shell_word.h"

#include "base/visible_text.h"

namespace filecall {

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string visible_shell_word(std::string_view word) {
  if (visible_line(word) == word) return shell_word(word);
  std::string escaped;
  for (const char c : word) {
    if (c == '\\' || c == '\'') escaped += '\\';
    escaped += c;
  }
  return "$'" + visible_line(escaped) + "'";
}

}  // namespace filecall
