// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "spool/journal_record.h"

namespace filecall::spool {

/// Where a record lies in its segment.
struct RecordPlace {
  off_t at = 0;
  std::size_t bytes = 0;
};

/// Reads a segment a piece at a time: whatever its size, no more than one record and a window are
/// in memory, and holes are stepped over. The file may be anybody's work; it may grow, shrink and
/// change meanwhile. Keeps its own place: the descriptor's is not moved but by lseek(2).
class JournalReader {
 public:
  /// `fd` must stay open; `name` is for messages.
  JournalReader(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

  /// nullopt: it begins with no header. `is_blank`: because nothing was ever recorded.
  Result<std::optional<SegmentHeader>> header(bool& is_blank);
  /// Calls `visit` with each record of this lap, in the order in which they lie there; its views
  /// are valid until it returns. What is damaged or foreign is stepped over. The result counts the
  /// records behind something that is none: a power cut may keep the later pages of a group only.
  /// Failures: visit's; data_loss, more of what only looks like records than the file can hold.
  Result<std::size_t> each(
      const SegmentHeader& header,
      const std::function<Result<void>(const JournalRecord&, const RecordPlace&)>& visit);
  /// The bytes of a record that was visited, for decode_record().
  Result<std::string> bytes_at(const RecordPlace& place);

 private:
  /// Up to `wanted` bytes from there, fewer at the end of the file; valid until the next call.
  Result<std::string_view> view(off_t at, std::size_t wanted);
  /// Where the next record may begin, when none begins at `at`.
  off_t step_over(off_t at);

  int fd_;
  std::string name_;
  std::string window_;
  off_t window_at_ = 0;
};

}  // namespace filecall::spool
