// SPDX-License-Identifier: MIT
#include "edit/quoted_name.h"

#include <fmt/format.h>

namespace filecall::edit {
namespace {

constexpr std::string_view kLetters = "abtnvfr\"\\";
constexpr std::string_view kMeanings = "\a\b\t\n\v\f\r\"\\";

bool is_octal(char c) { return c >= '0' && c <= '7'; }

}  // namespace

std::string quote_name(std::string_view name) {
  std::string out;
  bool is_quoted = false;
  for (const char c : name) {
    if (const std::size_t at = kMeanings.find(c); at != std::string_view::npos) {
      out += {'\\', kLetters[at]};
      is_quoted = true;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
      is_quoted = true;
    } else {
      out += c;
    }
  }
  return is_quoted ? '"' + out + '"' : out;
}

std::optional<QuotedName> read_quoted_name(std::string_view text) {
  if (!text.starts_with('"')) return std::nullopt;
  std::string name;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') return QuotedName{std::move(name), at + 1};
    if (text[at] != '\\') {
      name += text[at];
      continue;
    }
    if (++at >= text.size()) return std::nullopt;
    if (const std::size_t letter = kLetters.find(text[at]); letter != std::string_view::npos) {
      name += kMeanings[letter];
      continue;
    }
    if (at + 2 >= text.size() || text[at] > '3' || !is_octal(text[at]) || !is_octal(text[at + 1]) ||
        !is_octal(text[at + 2])) {
      return std::nullopt;
    }
    const int value = (text[at] - '0') * 64 + (text[at + 1] - '0') * 8 + (text[at + 2] - '0');
    if (value == 0) return std::nullopt;
    name += static_cast<char>(value);
    at += 2;
  }
  return std::nullopt;
}

}  // namespace filecall::edit
