// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace filecall::worker::file {

/// A line that fits.
struct LineMatch {
  std::size_t line = 0;    ///< From 1 on.
  std::size_t column = 0;  ///< From 1 on, in characters: of the first fit in the line.
  std::size_t begin = 0;   ///< Of the line, in bytes of the text.
  std::size_t end = 0;     ///< Without its end of line.
  std::size_t at = 0;      ///< Of the first fit, in bytes of the text.
};

/// Looks for lines that a regular expression (RE2's syntax, linear in the text) or a text fits. "^"
/// and "$" fit the ends of a line; nothing fits across lines. Pure; any thread.
class LineSearch {
 public:
  /// Failure: invalid_argument, with RE2's reason.
  static Result<LineSearch> of_pattern(const std::string& pattern);
  /// `text` is not empty and holds no line feed, else invalid_argument.
  static Result<LineSearch> of_text(const std::string& text);

  /// A text as it is looked at: without a byte order mark, and, unless "\r" is looked for, without
  /// the CR before a line feed, so that "$" fits before it.
  std::string plain(std::string text) const;

  /// The first `max` lines that fit, in order, and how many there are in all. Ends soon, and with
  /// less, once `is_cancelled`.
  struct Found {
    std::vector<LineMatch> matches;
    std::size_t count = 0;
  };
  Found find(std::string_view text, std::size_t max, const std::atomic<bool>& is_cancelled) const;

 private:
  /// Where the next fit begins, at or after `from` and before `to`, the end of a line; npos: none.
  std::size_t next(std::string_view text, std::size_t from, std::size_t to) const;

  std::string text_;
  bool wants_cr_ = false;
  std::shared_ptr<const re2::RE2> regex_;  ///< Null: `text_` is looked for.
};

}  // namespace filecall::worker::file
