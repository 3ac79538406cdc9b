// SPDX-License-Identifier: MIT
#include "worker/exec/kube/log_text.h"

#include <algorithm>

#include "base/utf8.h"

namespace filecall::worker::kube {
namespace {

constexpr char kEscape = '\x1b';

/// Bytes of the terminal sequence (ECMA-48) that begins at `at`, which is an escape.
std::size_t sequence_bytes(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  if (end >= text.size()) return 1;
  if (text[end] == '[') {  // Parameters, then one final byte.
    for (++end; end < text.size() && text[end] >= 0x20 && text[end] < 0x40;) ++end;
    return std::min(end + 1, text.size()) - at;
  }
  if (text[end] == ']') {  // A string, ended by BEL or ESC \.
    while (end < text.size() && text[end] != '\a' && text[end] != kEscape && text[end] != '\n') {
      ++end;
    }
    return end - at;
  }
  return 2;
}

}  // namespace

std::string readable_log(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == kEscape) {
      i += sequence_bytes(text, i);
      continue;
    }
    const bool is_control =
        (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
    if (!is_control) out += c;
    ++i;
  }
  return sanitize_utf8(out);
}

LogTail last_lines(std::string_view text, std::size_t bytes_max) {
  LogTail tail;
  std::size_t begin = text.size() > bytes_max ? text.size() - bytes_max : 0;
  if (begin > 0) {
    const std::size_t line = text.find('\n', begin - 1);
    if (line != std::string_view::npos && line + 1 < text.size()) begin = line + 1;
    // One line that is longer than everything: at least no character is torn.
    while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  }
  tail.left_out_bytes = begin;
  tail.text = text.substr(begin);
  tail.lines = static_cast<std::size_t>(std::ranges::count(tail.text, '\n'));
  if (!tail.text.empty() && tail.text.back() != '\n') ++tail.lines;
  return tail;
}

}  // namespace filecall::worker::kube
