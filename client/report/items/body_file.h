// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace filecall::client {

/// Text that is written now and read back once, later: in memory as long as it is short, then in a
/// nameless file of the folder that it was given. Not thread-safe.
class BodyFile {
 public:
  explicit BodyFile(std::string folder) : folder_(std::move(folder)) {}

  /// The first failure is kept and returned by read_back().
  void append(std::string_view text);
  /// All of it, piece by piece; nothing may be appended afterwards.
  Result<void> read_back(const std::function<void(std::string_view)>& take);

 private:
  Result<void> flush();

  std::string folder_;
  std::string buffer_;
  UniqueFd fd_;
  Result<void> status_;
};

}  // namespace filecall::client
