// SPDX-License-Identifier: MIT
#pragma once

#include <dirent.h>

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace filecall::spool {

struct DirectoryEntry {
  std::string_view name;  ///< Valid during the visit.
  /// False: it is certainly a directory, link, FIFO, socket or device. File systems that do not
  /// say are given the benefit of the doubt.
  bool may_be_regular = true;
};

/// Reads a directory in steps, with getdents64(2) and no stat(2): a step is one system call, so
/// that a loop can do other things between steps of a directory with a million names. Names that
/// are added or removed meanwhile may or may not be seen; all others are seen once.
class DirectoryReader {
 public:
  /// Opens its own description of the directory: the position in `directory_fd` is not used.
  static Result<DirectoryReader> open(int directory_fd);

  /// Calls `visit(const DirectoryEntry&)` for the next some thousand names. False: the end.
  template <typename Visit>
  Result<bool> step(Visit&& visit) {
    TRY_ASSIGN(const std::size_t size, fill());
    for (std::size_t at = 0; at < size;) {
      const auto* raw = reinterpret_cast<const dirent64*>(buffer_.get() + at);
      at += raw->d_reclen;
      const std::string_view name(raw->d_name);
      if (name == "." || name == "..") continue;
      visit(DirectoryEntry{name, raw->d_type == DT_REG || raw->d_type == DT_UNKNOWN});
    }
    return size > 0;
  }

 private:
  static constexpr std::size_t kBufferBytes = 64 * 1024;

  explicit DirectoryReader(UniqueFd fd);
  Result<std::size_t> fill();

  UniqueFd fd_;
  std::unique_ptr<char[]> buffer_;
};

/// Reads a whole (small) directory.
template <typename Visit>
Result<void> read_directory(int directory_fd, Visit&& visit) {
  TRY_ASSIGN(DirectoryReader reader, DirectoryReader::open(directory_fd));
  for (;;) {
    TRY_ASSIGN(const bool more, reader.step(visit));
    if (!more) return {};
  }
}

}  // namespace filecall::spool
