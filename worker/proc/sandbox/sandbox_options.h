// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/proc/sandbox/protections.h"

namespace filecall::worker::guard {

/// What one program may see and do. Paths are absolute and canonical, without a final '/'.
struct SandboxOptions {
  Level level = Level::kNone;
  bool network = true;
  /// Protections that the probe found; each that is needed is applied, or the run fails.
  std::uint32_t protections = 0;
  std::vector<std::string> roots;     ///< Readable; writable at kWorkspaceWrite.
  std::vector<std::string> readable;  ///< More that may be read and executed.
  std::vector<std::string> hidden;    ///< Beneath the above, yet neither readable nor writable.
  std::vector<std::string> protect;   ///< Names within writable roots that stay as they are.
  std::int64_t tmp_bytes = std::int64_t{256} * 1024 * 1024;  ///< Of /tmp, and of /dev/shm.

  bool operator==(const SandboxOptions&) const = default;
  bool is_on() const { return level != Level::kNone || !network; }
  /// True: this protection is wanted and the machine has it.
  bool uses(Protection protection) const {
    return (wanted_protections(level, network) & protections & protection) != 0;
  }
};

/// True when `path` is `folder` or lies beneath it. By text.
inline bool is_beneath(const std::string& path, const std::string& folder) {
  if (folder == "/") return true;
  return path.compare(0, folder.size(), folder) == 0 &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace filecall::worker::guard
