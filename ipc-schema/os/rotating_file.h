// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace filecall {

/// A file to append to that is rotated: when it would grow over a limit, worker.log becomes
/// worker.1.log, worker.1.log becomes worker.2.log, and so on; the oldest is replaced. The
/// directory is opened once and all names are looked up in it, never followed when they are links:
/// what happens to the path later cannot lead the writes elsewhere. One thread.
class RotatingFile {
 public:
  /// `files`: how many old ones are kept; 0: none, the file is emptied instead.
  /// Failures: as open_regular().
  static Result<RotatingFile> open(const std::string& path, std::size_t bytes_max,
                                   std::size_t files);

  /// Appends the whole text, which is larger than the limit only when it alone is. What cannot be
  /// rotated goes on growing. Failures: writing.
  Result<void> append(std::string_view text);

  /// The name of an old one: "worker.log", 2 -> "worker.2.log". Pure.
  static std::string old_name(std::string_view name, std::size_t number);

 private:
  RotatingFile() = default;
  Result<void> open_current();
  void rotate();

  std::string directory_path_;
  std::string name_;
  UniqueFd directory_;
  UniqueFd file_;
  std::uint64_t size_ = 0;
  std::size_t bytes_max_ = 0;
  std::size_t files_ = 0;
};

}  // namespace filecall
