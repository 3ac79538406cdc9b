// SPDX-License-Identifier: MIT
#include "edit/indent_shift.h"

#include <algorithm>

#include "edit/text_lines.h"

namespace filecall::edit {

std::string_view without_trailing(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kWhiteSpace);
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string_view indentation_of(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of(" \t"), text.size()));
}

bool is_blank(std::string_view text) { return without_trailing(text).empty(); }

void IndentShift::add(std::string_view file, std::string_view hunk) {
  const std::string_view of_file = indentation_of(file);
  const std::string_view of_hunk = indentation_of(hunk);
  if (of_hunk.empty()) {
    at_margin_.push_back(of_file);
    return;
  }
  const bool is_deeper = of_file.size() >= of_hunk.size();
  const std::string_view longer = is_deeper ? of_file : of_hunk;
  const std::string_view shorter = is_deeper ? of_hunk : of_file;
  take(longer.substr(0, longer.size() - shorter.size()), is_deeper);
  is_one_ = is_one_ && longer.ends_with(shorter);
}

bool IndentShift::decide() {
  if (!is_known_ && !at_margin_.empty()) take(at_margin_.front(), true);
  for (const std::string_view of_file : at_margin_) {
    if (of_file == bytes_ && is_deeper_) continue;
    is_clipped_ = true;
    is_one_ = is_one_ && is_deeper_ && is_agreed_ && bytes_.starts_with(of_file);
  }
  return is_one_;
}

bool IndentShift::fits_added(std::string_view added) const {
  if (bytes_.empty() || is_blank(added)) return true;
  if (!is_deeper_) return added.starts_with(bytes_);
  // One at the margin, beside old lines that are not, or that had less to lose: nobody knows how
  // far from it it was.
  return !indentation_of(added).empty() || (!at_margin_.empty() && !is_clipped_);
}

void IndentShift::take(std::string_view bytes, bool is_deeper) {
  if (!is_known_) bytes_ = bytes, is_deeper_ = is_deeper || bytes.empty();
  is_agreed_ = is_agreed_ || is_known_;
  is_known_ = true;
  is_one_ = is_one_ && bytes == bytes_ && (bytes.empty() || is_deeper == is_deeper_);
}

}  // namespace filecall::edit
