// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include "spool/file_identity.h"

namespace filecall::spool {

/// A file that is renamed into place as soon as it is written and synced is not that much older
/// than its name.
inline constexpr std::int64_t kRestoredAfterNs = 1'000'000'000;

inline FileIdentity identify(const struct stat& info) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t mtime_ns = info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec;
  const std::int64_t ctime_ns = info.st_ctim.tv_sec * kSecond + info.st_ctim.tv_nsec;
  return {info.st_ino, mtime_ns, info.st_size, ctime_ns - mtime_ns >= kRestoredAfterNs};
}

}  // namespace filecall::spool
