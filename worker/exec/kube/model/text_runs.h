// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace filecall::worker::kube {

/// Of a value, whatever its length, no more is looked at to see what it is: texts are written by
/// others, and a rule that reads on to the end of a text from each of its places takes minutes.
/// What is hidden is the whole value.
inline constexpr std::size_t kJudgedBytes = 256;

inline std::string_view judged_part(std::string_view value) {
  return value.substr(0, kJudgedBytes);
}

/// Where a run of characters of one sort ends. Asked for places of a text from left to right, it
/// looks at each character once, however long the runs are and however many places lie in one.
template <typename Is>
class TextRuns {
 public:
  TextRuns(std::string_view text, Is is) : text_(text), is_(is) {}

  /// Behind the last of those that begin at `at`; `at` itself when there is none.
  std::size_t end(std::size_t at) {
    if (at >= begin_ && at < end_) return end_;
    begin_ = end_ = at;
    while (end_ < text_.size() && is_(text_[end_])) ++end_;
    return end_;
  }

 private:
  std::string_view text_;
  Is is_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace filecall::worker::kube
