// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "os/unique_fd.h"
#include "spool/root.h"

namespace filecall::spool {

/// An flock(2) on a file, held until destruction or the process's death, whichever way it dies. The
/// descriptor is close-on-exec, so no child inherits the lock. The file itself is never removed:
/// unlinking a lock file breaks exclusion.
class FileLock {
 public:
  /// Creates the file if needed, with `mode` whatever the umask. Tries for `patience`, since
  /// a prober may hold the lock for an instant. Failure: unavailable when another process holds it.
  static Result<FileLock> acquire(const std::string& path, Duration patience = milliseconds(0),
                                  mode_t mode = kOwnFileMode);
  /// Whether some process holds the lock now. A missing file is not held. Never blocks.
  static Result<bool> is_held(const std::string& path);
  /// Whether `path` still names the locked file. False: somebody removed or replaced it (or its
  /// directory), so that another process may hold a lock of the same name: stop relying on it. True
  /// also where the file system cannot say.
  bool is_still_at(const std::string& path) const;

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace filecall::spool
