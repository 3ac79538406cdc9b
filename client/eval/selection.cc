// SPDX-License-Identifier: MIT
#include "client/eval/selection.h"

#include <algorithm>

#include "client/eval/grader.h"

namespace filecall::client {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

bool fits_glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // The last * seen, and what of the text it may take.
  std::size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      ++t;
      while (t < text.size() && is_continuation(text[t])) ++t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string selected_by(const Selection& selection) {
  std::string text = "command " + selection.command;
  if (!selection.ids.empty()) text += ", ids";
  if (!selection.batch.empty()) text += ", batch " + selection.batch;
  for (const auto& [name, wanted] : selection.metadata.items()) text += ", metadata." + name;
  if (selection.rows.any()) text += ", a part of the rows";
  return text;
}

bool Selection::selects_id(std::string_view id) const {
  if (id.starts_with(kQuestionPrefix)) return false;
  return ids.empty() || std::any_of(ids.begin(), ids.end(), [id](const std::string& pattern) {
           return fits_glob(pattern, id);
         });
}

bool Selection::selects(const Request& request) const {
  if (command != "*" && command != request.command) return false;
  // A later part of a conversation, which is selected as a whole.
  const bool has_talk = request.metadata.is_object() && request.metadata.contains("conversation");
  if (has_talk && request.metadata["conversation"].is_string()) return false;
  for (const auto& [name, wanted] : metadata.items()) {
    if (!request.metadata.is_object()) return false;
    const auto found = request.metadata.find(name);
    if (found == request.metadata.end() || *found != wanted) return false;
  }
  return true;
}

}  // namespace filecall::client
