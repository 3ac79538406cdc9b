// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/threads/line_walk.h"
#include "client/threads/thread_record.h"
#include "os/unique_fd.h"
#include "spool/layout.h"

namespace filecall::client {

/// A place of a thread's file that is no record, or where records are missing. It is passed over.
struct BadLine {
  std::int64_t offset = 0;  ///< In bytes.
  std::int64_t line = 0;    ///< From 1; 0: the lines before it were not counted.
  std::string reason;

  bool operator==(const BadLine&) const = default;
};
/// "{path}: line 3, at byte 812: its check is not that of its bytes". Pure.
std::string bad_line_text(const std::string& path, const BadLine& bad);

/// No more of them are kept; they are still counted.
inline constexpr std::size_t kBadLinesKept = 100;

/// What was read of a thread, oldest first.
struct ThreadPage {
  std::vector<ThreadRecord> records;
  std::vector<BadLine> bad;
  bool complete = true;    ///< There is no bad line in what was read.
  bool has_older = false;  ///< There are lines before the first record.
};

/// A line that verifies and has its place in the order. Valid until the reader's next call.
struct ThreadLine {
  std::string_view text;
  ThreadLineHead head;
};

/// Reads a thread's records in order, and those that come later. Data that was spilled is not
/// fetched: whole_value() does. A lock is not needed: records never change. Not thread-safe.
class ThreadReader {
 public:
  /// Failures: not_found, there is no such thread; invalid_argument, that is no thread's id; those
  /// of a threads/ that is not ours, and the file's.
  static Result<ThreadReader> open(const spool::Layout& layout, std::string_view thread);
  /// From the line at `offset` on, which is that of a record with the number `seq`.
  static Result<ThreadReader> open_at(const spool::Layout& layout, std::string_view thread,
                                      std::int64_t offset, std::int64_t seq);

  /// From the first record of a run on, when the note of its place holds; else from the beginning.
  static Result<ThreadReader> open_at_run(const spool::Layout& layout, std::string_view thread,
                                          std::string_view run);

  /// By the descriptor of threads/, and an id that is a name in it.
  static Result<ThreadReader> open_in(int threads, const spool::Layout& layout,
                                      std::string_view thread);

  /// nullopt: there is no further record now.
  Result<std::optional<ThreadRecord>> next();
  /// The same, of one run alone: other records are verified, and not taken apart.
  Result<std::optional<ThreadRecord>> next_of(std::string_view run);
  /// The same for who needs few records whole, and those: record_of() takes one apart; nullopt: it
  /// is none, and noted.
  Result<std::optional<ThreadLine>> next_line();
  std::optional<ThreadRecord> record_of(const ThreadLine& line);

  const std::vector<BadLine>& bad() const { return bad_; }
  std::int64_t bad_count() const { return bad_count_; }
  /// What follows the last whole line, once next() found no further record: what a killed writer
  /// left, or what is being written now.
  std::size_t torn_bytes() const { return walk_.torn_bytes(); }
  /// Where the next line begins.
  std::int64_t offset() const { return walk_.offset(); }
  /// Where the last record begins that was given out.
  std::int64_t record_offset() const { return record_offset_; }

 private:
  ThreadReader(UniqueFd fd, std::string path, std::int64_t offset, std::int64_t seq);
  void note_bad(std::int64_t offset, std::string reason);

  UniqueFd fd_;
  ForwardWalk walk_;
  std::int64_t line_ = 0;  ///< Of the line that was read last; 0 and uncounted below.
  bool counts_lines_ = true;
  std::int64_t seq_ = 0;        ///< Of the last record that verified.
  std::int64_t bad_since_ = 0;  ///< Bad lines since then.
  std::int64_t record_offset_ = 0;
  std::int64_t bad_count_ = 0;
  std::vector<BadLine> bad_;
};

/// What a walk through a whole thread found, beside its records.
struct ThreadCheck {
  std::int64_t records = 0;
  std::int64_t bad_count = 0;
  std::vector<BadLine> bad;    ///< The first of them.
  std::size_t torn_bytes = 0;  ///< After the last whole line.
};
/// False: stop.
using RecordVisit = std::function<Result<bool>(ThreadRecord&&)>;
/// Visits each record behind the number `after_seq`. Failures: as of ThreadReader::open(), and the
/// visitor's.
Result<ThreadCheck> read_thread(const spool::Layout& layout, std::string_view thread,
                                std::int64_t after_seq, const RecordVisit& visit);

/// The last `count` records, read from the end: at the cost of those alone.
Result<ThreadPage> read_last(const spool::Layout& layout, std::string_view thread,
                             std::size_t count);

}  // namespace filecall::client
