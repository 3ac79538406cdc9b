// SPDX-License-Identifier: MIT
#include "client/service/file_removal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <optional>
#include <utility>

#include "ipc/limits.h"
#include "os/side_by_side.h"

namespace filecall::client {
namespace {

/// Fewer are removed sooner than threads are started.
constexpr std::size_t kFilesPerThread = 32;

/// What all threads did together.
struct Removing {
  std::atomic<std::int64_t> files{0};
  std::atomic<std::int64_t> bytes{0};
  std::atomic<bool> has_failed{false};
  std::mutex error_lock;
  std::optional<Error> error;  ///< The first.
};

Result<void> remove_one(const FileRemoval& removal, bool only_counts, Removing& removed) {
  struct stat status {};
  if (::fstatat(removal.directory_fd, removal.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return fail_errno(errno, removal.name);
  }
  if (!only_counts && ::unlinkat(removal.directory_fd, removal.name.c_str(), 0) != 0) {
    if (errno == ENOENT) return {};
    return fail_errno(errno, removal.name);
  }
  constexpr std::int64_t kBlockBytes = 512;  // Whatever the file system's (stat(2)).
  ++removed.files;
  removed.bytes += status.st_blocks * kBlockBytes;
  return {};
}

}  // namespace

Result<RemovedFiles> remove_files(std::span<const FileRemoval> removals, bool only_counts) {
  Removing all;
  const std::size_t threads = only_counts ? 1 : removals.size() / kFilesPerThread;
  filecall::side_by_side(removals.size(),
                         {.count = std::clamp<std::size_t>(threads, 1, limits::kSyncThreads)},
                         [&](std::size_t i) {
                           if (all.has_failed) return;
                           const auto done = remove_one(removals[i], only_counts, all);
                           if (done) return;
                           const std::lock_guard lock(all.error_lock);
                           if (!all.error) all.error = done.error();
                           all.has_failed = true;
                         });
  if (all.error) return Unexpected(std::move(*all.error));
  return RemovedFiles{all.files, all.bytes};
}

}  // namespace filecall::client
