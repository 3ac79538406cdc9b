// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace filecall {

/// Reads a text file line by line; memory is bounded by the longest line that is accepted. Not
/// thread-safe.
class LineReader {
 public:
  struct Line {
    std::string_view text;    ///< Without "\n" or "\r\n"; valid until the next call.
    std::int64_t number = 0;  ///< From 1.
    /// The line exceeds the bound; `text` is empty and the rest of the line is skipped.
    bool is_too_long = false;
  };

  /// `name` stands in errors. The descriptor is read from where it is.
  LineReader(UniqueFd fd, std::string name, std::size_t line_bytes_max);

  /// nullopt: end of file. A last line without a newline counts. Failure: the read's.
  Result<std::optional<Line>> next();

 private:
  /// Adds more bytes to the buffer; false at the end of the file.
  Result<bool> fill();
  Line take(std::size_t length, std::size_t skip);

  UniqueFd fd_;
  std::string name_;
  std::size_t line_bytes_max_;
  std::string buffer_;
  std::size_t begin_ = 0;    ///< First byte of the buffer that was not given out.
  std::size_t scanned_ = 0;  ///< Bytes from `begin_` known to hold no newline.
  std::int64_t number_ = 0;
  bool is_skipping_ = false;
};

}  // namespace filecall
