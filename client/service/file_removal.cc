// SPDX-License-Identifier: MIT
#include "client/service/file_removal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <optional>
#include <thread>
#include <vector>

namespace filecall::client {
namespace {

constexpr std::size_t kHands = 16;
/// Fewer are removed sooner than threads are started.
constexpr std::size_t kFilesPerHand = 32;

/// What one thread did.
struct HandsWork {
  RemovedFiles removed;
  std::optional<Error> error;
};

Result<void> remove_one(const FileRemoval& removal, bool only_counts, RemovedFiles& removed) {
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
  std::atomic<std::size_t> next{0};
  const auto work = [&](HandsWork& own) {
    for (std::size_t at = next++; at < removals.size() && !own.error; at = next++) {
      const auto done = remove_one(removals[at], only_counts, own.removed);
      if (!done) own.error = done.error();
    }
  };
  const std::size_t wanted = only_counts ? 1 : removals.size() / kFilesPerHand;
  std::vector<HandsWork> hands(std::clamp<std::size_t>(wanted, 1, kHands));
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < hands.size(); ++i) {
    threads.emplace_back([&work, &own = hands[i]] { work(own); });
  }
  work(hands.front());
  threads.clear();  // Joins.
  RemovedFiles all;
  for (HandsWork& own : hands) {
    if (own.error) return Unexpected(std::move(*own.error));
    all.files += own.removed.files;
    all.bytes += own.removed.bytes;
  }
  return all;
}

}  // namespace filecall::client
