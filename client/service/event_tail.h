// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace filecall::client {

/// Reads a request's events as they are appended, from the first one. Only whole lines count: what
/// a killed worker left of one is cut off by the next. One thread; blocking.
class EventTail {
 public:
  explicit EventTail(std::string path) : path_(std::move(path)) {}

  /// Gives each line that was added since the last call, without its end. A file that is missing
  /// has none; another one in its place is read from its beginning. Failures: open_regular's and
  /// read(2)'s.
  Result<void> read(const std::function<void(std::string_view line)>& visit);

 private:
  std::string path_;
  ino_t inode_ = 0;
  off_t at_ = 0;  ///< Where the next line begins.
};

}  // namespace filecall::client
