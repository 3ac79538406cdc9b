// SPDX-License-Identifier: MIT
#include "base/visible_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/utf8.h"

namespace filecall {
namespace {

struct CodeRange {
  std::uint32_t first;
  std::uint32_t last;
};

/// In their order. Spaces that are no U+0020 look like one. Joiners and variation selectors belong
/// to honest texts, too, and hide as well.
constexpr CodeRange kUnseen[] = {
    {0x00, 0x1f},       {0x7f, 0xa0},       {0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},
    {0x115f, 0x1160},   {0x1680, 0x1680},   {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x2000, 0x200f},
    {0x2028, 0x202f},   {0x205f, 0x206f},   {0x2800, 0x2800}, {0x3000, 0x3000}, {0x3164, 0x3164},
    {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

bool is_unseen(std::uint32_t code) {
  const auto* const range = std::lower_bound(
      std::begin(kUnseen), std::end(kUnseen), code,
      [](const CodeRange& one, std::uint32_t wanted) { return one.last < wanted; });
  return range != std::end(kUnseen) && range->first <= code;
}

/// How many bytes the character has that begins with this one, in valid UTF-8.
std::size_t character_bytes(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

std::uint32_t code_of(std::string_view character) {
  constexpr std::uint32_t kMasks[] = {0x7f, 0x1f, 0x0f, 0x07};
  std::uint32_t code = static_cast<unsigned char>(character[0]) & kMasks[character.size() - 1];
  for (const char c : character.substr(1))
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  return code;
}

std::string escape_of(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  return code < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
}

std::string with_escapes(std::string_view text, std::string_view kept) {
  const std::string clean = sanitize_utf8(text);
  std::string out;
  out.reserve(clean.size());
  for (std::size_t at = 0; at < clean.size();) {
    const std::size_t bytes = character_bytes(static_cast<unsigned char>(clean[at]));
    const std::string_view character = std::string_view(clean).substr(at, bytes);
    const std::uint32_t code = code_of(character);
    const bool stays = !is_unseen(code) || (bytes == 1 && kept.find(clean[at]) != kept.npos);
    out += stays ? std::string(character) : escape_of(code);
    at += bytes;
  }
  return out;
}

}  // namespace

std::string visible_text(std::string_view text) { return with_escapes(text, "\n\t"); }

std::string visible_line(std::string_view text) { return with_escapes(text, ""); }

std::string quoted_lines(std::string_view text, std::string_view before) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += before;
    out += text.substr(at, end - at);
    out += '\n';
    at = end + 1;
  }
  return out;
}

std::string folded_lines(std::string_view text, std::size_t columns, std::string_view before) {
  // A terminal that narrow shows nothing as it is.
  if (columns == 0 || columns < before.size() + 8) return std::string(text);
  const std::string clean = sanitize_utf8(text);
  std::string out;
  std::size_t used = 0;
  for (std::size_t at = 0; at < clean.size();) {
    if (clean.compare(at, 2, "\x1b[") == 0) {
      const std::size_t end = std::min(clean.find('m', at), clean.size() - 1) + 1;
      out.append(clean, at, end - at);
      at = end;
      continue;
    }
    const std::size_t bytes = character_bytes(static_cast<unsigned char>(clean[at]));
    const std::size_t width = clean[at] == '\t' ? 8 : bytes == 1 ? 1 : 2;
    if (clean[at] == '\n') {
      used = 0;
    } else if (used + width > columns) {
      out += '\n';
      out += before;
      used = before.size() + width;
    } else {
      used += width;
    }
    out.append(clean, at, bytes);
    at += bytes;
  }
  return out;
}

}  // namespace filecall
