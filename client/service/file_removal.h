// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace filecall::client {

/// A file that is to go: its name, in a directory that is open.
struct FileRemoval {
  int directory_fd = -1;
  std::string name;
};

struct RemovedFiles {
  std::int64_t files = 0;
  std::int64_t bytes = 0;  ///< What they took of the disk.
};

/// Removes the files and counts them; one that is not there is fine. By several threads: an
/// unlinkat() waits for the file system's journal much longer than it works. Not synced. With
/// `only_counts` nothing is removed. Failure: the first; others may be gone by then. Blocking.
Result<RemovedFiles> remove_files(std::span<const FileRemoval> removals, bool only_counts);

}  // namespace filecall::client
