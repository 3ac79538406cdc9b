// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "os/unique_fd.h"

namespace filecall::client {

/// Texts that are needed later, in a file without a name: gone with the object, or the process. A
/// megabyte is in memory, and all of it on a file system that has no such files. Not thread-safe.
class HeldTexts {
 public:
  /// `folder`: where the file is made, once it is needed.
  explicit HeldTexts(std::string folder) : folder_(std::move(folder)) {}

  struct Place {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
  };
  /// Failure: the file's (no space).
  Result<Place> keep(std::string_view text);
  /// Failure: the file's.
  Result<std::string> read(const Place& place) const;

 private:
  Result<void> flush();

  std::string folder_;
  UniqueFd fd_;
  bool has_no_file_ = false;
  std::uint64_t written_ = 0;
  std::string buffer_;  ///< What follows.
};

}  // namespace filecall::client
