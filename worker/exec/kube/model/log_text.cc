// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/log_text.h"

#include <algorithm>

#include "base/utf8.h"

namespace filecall::worker::kube {
namespace {

constexpr char kEscape = '\x1b';

bool is_between(char c, char first, char last) { return c >= first && c <= last; }

/// How long what begins at `end` is: the rest of a sequence (ECMA-48) behind its introducer, which
/// is `kind` in its form of seven bits.
std::size_t sequence_end(std::string_view text, std::size_t end, char kind) {
  if (kind == '[') {  // Parameters, then one final byte.
    while (end < text.size() && is_between(text[end], 0x20, 0x3F)) ++end;
    return end < text.size() && is_between(text[end], 0x40, 0x7E) ? end + 1 : end;
  }
  if (kind == ']') {  // A string, ended by BEL or ESC \.
    while (end < text.size() && text[end] != '\a' && text[end] != kEscape && text[end] != '\n') {
      ++end;
    }
  }
  return end;
}

/// The end of the terminal sequence that begins at `at`, which is an escape. What is none loses the
/// escape alone.
std::size_t escape_end(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  if (end >= text.size()) return end;
  if (text[end] == '[' || text[end] == ']') return sequence_end(text, end + 1, text[end]);
  while (end < text.size() && is_between(text[end], 0x20, 0x2F)) ++end;  // "ESC ( B"
  return end < text.size() && is_between(text[end], 0x30, 0x7E) ? end + 1 : end;
}

/// Whether a control character of eight bits (C1) stands there, in UTF-8.
bool is_c1(std::string_view text, std::size_t at) {
  return text[at] == '\xC2' && at + 1 < text.size() && is_between(text[at + 1], '\x80', '\x9F');
}

}  // namespace

std::string readable_log(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == kEscape) {
      i = escape_end(text, i);
      continue;
    }
    if (is_c1(text, i)) {
      i = sequence_end(text, i + 2, static_cast<char>(text[i + 1] - 0x40));
      continue;
    }
    const bool is_control =
        (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
    if (!is_control) out += c;
    ++i;
  }
  return sanitize_utf8(out);
}

bool drop_older_lines(std::string& text, std::size_t lines_max) {
  std::size_t lines = 0;
  for (std::size_t at = text.size(); at > 0; --at) {
    // The last byte ends a line and begins none.
    if (text[at - 1] != '\n' || at == text.size()) continue;
    if (++lines < lines_max) continue;
    text.erase(0, at);
    return true;
  }
  return false;
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
