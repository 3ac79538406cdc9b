// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace filecall::spool {

/// Tells one file from its successor under the same name.
struct FileIdentity {
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t size = 0;
  /// Its content is older than its file (a repair or a backup keeps the time of modification). Not
  /// part of the identity.
  bool is_restored = false;

  bool operator==(const FileIdentity& other) const {
    return inode == other.inode && mtime_ns == other.mtime_ns && size == other.size;
  }
};

}  // namespace filecall::spool
