// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace filecall::client {

/// A line of a file to which others may append meanwhile.
struct WalkedLine {
  std::string_view text;     ///< Without its newline; valid until the next call.
  std::int64_t offset = 0;   ///< Where it begins.
  bool is_too_long = false;  ///< `text` is empty.
  bool is_torn = false;      ///< The last one, without a newline.
};

/// Walks from a line on to the end. Memory is bounded by the longest line that is accepted. The
/// descriptor is the caller's, and stays open as long. Not thread-safe.
class ForwardWalk {
 public:
  ForwardWalk(int fd, std::string path, std::int64_t offset, std::size_t line_bytes_max)
      : fd_(fd), path_(std::move(path)), offset_(offset), line_bytes_max_(line_bytes_max) {}

  /// nullopt: there is no further whole line now; there may be one later.
  Result<std::optional<WalkedLine>> next();
  /// Where the next line begins.
  std::int64_t offset() const { return offset_; }
  /// What follows the last whole line, when next() found no further one.
  std::size_t torn_bytes() const { return buffer_.size() - begin_ + skipped_; }

 private:
  Result<bool> fill();

  int fd_;
  std::string path_;
  std::int64_t offset_;
  std::size_t line_bytes_max_;
  std::string buffer_;
  std::size_t begin_ = 0;    ///< First byte that was not given out.
  std::size_t scanned_ = 0;  ///< Bytes from `begin_` on without a newline.
  bool had_first_ = false;
  bool was_short_ = false;   ///< The last read met the end of the file.
  std::size_t skipped_ = 0;  ///< Bytes of a line that is too long, not kept.
};

/// Walks from the end to the beginning. Memory as above.
class BackwardWalk {
 public:
  /// From the end that the file has now.
  static Result<BackwardWalk> open(int fd, std::string path, std::size_t line_bytes_max);

  /// nullopt: the beginning was reached.
  Result<std::optional<WalkedLine>> next();

 private:
  BackwardWalk(int fd, std::string path, std::size_t line_bytes_max, std::int64_t size)
      : fd_(fd), path_(std::move(path)), line_bytes_max_(line_bytes_max), end_(size), base_(size) {}
  /// Puts the bytes before `base_` in front of those up to `end_`, or in the stead of them.
  Result<void> load(bool keeps);

  int fd_;
  std::string path_;
  std::size_t line_bytes_max_;
  std::int64_t end_;   ///< Of the next line; no newline is counted.
  std::int64_t base_;  ///< Offset of the buffer's first byte.
  std::string buffer_;
  bool is_torn_ = false;
  bool is_done_ = false;
};

}  // namespace filecall::client
