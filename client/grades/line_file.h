// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "spool/layout.h"

namespace filecall::client {

/// Files of eval/ to which lines are only appended: read and repaired.

/// No line is longer: neither written nor read.
inline constexpr std::int64_t kGradeLineBytesMax = 64 * 1024 * 1024;

/// Visits every complete line from `offset` on; returns where the last one ends. Failure: the
/// file's, or the visitor's; resource_exhausted, a line is too long.
Result<std::int64_t> each_grade_line(
    int fd, std::int64_t offset, const std::string& path,
    const std::function<Result<void>(std::string_view text, std::int64_t offset)>& visit);

/// Sets a last line without a newline aside, as `{path}.torn-{n}`, and cuts it off. Call it under
/// the lock of the root's grades. Returns the file's size. `on_notice` hears of it, and of what
/// becomes of the line (`follows`).
Result<std::int64_t> mend_lines(int fd, const std::string& path, std::string_view follows,
                                const std::function<void(const std::string&)>& on_notice);

/// Appends complete lines to a file of eval/ under the root's lock, all or none of them, and makes
/// them durable. Makes eval/ when it is not there. A last line that was cut off is set aside
/// before.
Result<void> append_lines(const spool::Layout& layout, const std::string& path,
                          std::string_view lines,
                          const std::function<void(const std::string&)>& on_notice);
/// Lines that cannot be read, counted.
class DamagedLines {
 public:
  void add(std::int64_t offset) {
    if (count_++ == 0) first_at_ = offset;
  }
  /// For people; empty: there are none.
  std::string sentence(const std::string& path) const;

 private:
  std::int64_t count_ = 0;
  std::int64_t first_at_ = 0;
};

/// The same as each_grade_line(), of a file that may not be there.
Result<void> each_line_of(
    const std::string& path,
    const std::function<Result<void>(std::string_view text, std::int64_t offset)>& visit);

}  // namespace filecall::client
