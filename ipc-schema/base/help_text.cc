// SPDX-License-Identifier: MIT
#include "base/help_text.h"

#include <fmt/core.h>

#include <algorithm>

namespace filecall {
namespace {

constexpr std::size_t kColumns = 96;

/// The first word of `text`, which is removed from it; empty at its end.
std::string_view take_word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t end = std::min(text.find(' ', begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

}  // namespace

std::string wrapped_text(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  for (auto word = take_word(text); !word.empty(); word = take_word(text)) {
    if (column > indent && column + 1 + word.size() > kColumns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

std::string help_rows(std::span<const HelpRow> rows) {
  std::size_t width = 0;
  for (const HelpRow& row : rows) width = std::max(width, row.head.size());
  std::string out;
  for (const HelpRow& row : rows) {
    out += fmt::format("  {:<{}}  ", row.head, width) + wrapped_text(row.text, width + 4);
  }
  return out;
}

}  // namespace filecall
