// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace filecall::spool {

/// Tells one file from its successor under the same name.
struct FileIdentity {
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t size = 0;
  bool operator==(const FileIdentity&) const = default;
};

}  // namespace filecall::spool
