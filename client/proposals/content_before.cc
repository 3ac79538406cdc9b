// SPDX-License-Identifier: MIT
#include "client/proposals/content_before.h"

#include <algorithm>
#include <cstddef>

#include "edit/text_lines.h"

namespace filecall::client {
namespace {

/// Takes hunks back, one after the other.
class TakeBack {
 public:
  explicit TakeBack(const edit::TextLines& content) : content_(content) {}

  bool take(const edit::PatchHunk& hunk) {
    if (!hunk.place) return false;
    const bool has_new = std::ranges::any_of(
        hunk.lines, [](const edit::PatchLine& line) { return line.sign != edit::Sign::kRemoved; });
    // A side without lines states the line before it.
    const auto start = static_cast<std::size_t>(hunk.place->new_start) - (has_new ? 1 : 0);
    if (start < next_ || start > content_.size()) return false;
    while (next_ < start) copy();
    return std::ranges::all_of(hunk.lines, [this](const auto& line) { return take_line(line); });
  }
  std::string finish() {
    while (next_ < content_.size()) copy();
    return std::move(base_);
  }

 private:
  void copy() {
    base_ += content_.text(next_);
    base_ += edit::bytes_of(content_.end(next_));
    ++next_;
  }
  bool take_line(const edit::PatchLine& line) {
    if (line.sign == edit::Sign::kRemoved) {
      base_ += line.text;
      base_ += edit::bytes_of(line.end);
      return true;
    }
    if (next_ >= content_.size() || content_.text(next_) != line.text ||
        content_.end(next_) != line.end) {
      return false;
    }
    if (line.sign == edit::Sign::kContext) {
      copy();
    } else {
      ++next_;
    }
    return true;
  }

  const edit::TextLines& content_;
  std::size_t next_ = 0;
  std::string base_;
};

}  // namespace

Result<std::optional<std::string>> content_before(std::string_view after,
                                                  const std::vector<edit::PatchHunk>& hunks) {
  TRY_ASSIGN(const auto lines, edit::TextLines::of(after, "new_content"));
  TakeBack back(lines);
  for (const edit::PatchHunk& hunk : hunks) {
    if (!back.take(hunk)) return std::optional<std::string>();
  }
  return std::optional(back.finish());
}

}  // namespace filecall::client
