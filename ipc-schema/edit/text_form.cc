// SPDX-License-Identifier: MIT
#include "edit/text_form.h"

#include <utility>

namespace filecall::edit {
namespace {

bool ends_only_with(std::string_view text, LineEnd end) {
  bool is_found = false;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    const bool is_crlf = at > 0 && text[at - 1] == '\r';
    if (is_crlf != (end == LineEnd::kCrLf)) return false;
    is_found = true;
  }
  return is_found;
}

}  // namespace

std::string with_ends(std::string_view text, LineEnd end) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\n') {
      out += text[at];
      continue;
    }
    if (at > 0 && text[at - 1] == '\r') out.pop_back();
    out += bytes_of(end);
  }
  return out;
}

std::string in_form_of(std::string_view old_content, std::string_view new_content) {
  std::string out(new_content);
  if (old_content.empty() || new_content.empty()) return out;
  for (const auto& [old_end, new_end] :
       {std::pair(LineEnd::kCrLf, LineEnd::kLf), std::pair(LineEnd::kLf, LineEnd::kCrLf)}) {
    const bool is_other =
        ends_only_with(old_content, old_end) && ends_only_with(new_content, new_end);
    if (is_other) out = with_ends(new_content, old_end);
  }
  if (old_content.starts_with(kByteOrderMark) && !out.starts_with(kByteOrderMark)) {
    out.insert(0, kByteOrderMark);
  }
  return with_final_newline_of(old_content, std::move(out));
}

std::string with_final_newline_of(std::string_view old_content, std::string out) {
  if (old_content.empty() || out.empty()) return out;
  const bool had_newline = old_content.ends_with('\n');
  if (had_newline && !out.ends_with('\n')) {
    out += old_content.ends_with("\r\n") ? "\r\n" : "\n";
  } else if (!had_newline && out.ends_with('\n')) {
    out.resize(out.size() - (out.ends_with("\r\n") ? 2 : 1));
  }
  return out;
}

}  // namespace filecall::edit
