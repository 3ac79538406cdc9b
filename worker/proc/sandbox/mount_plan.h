// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/proc/sandbox/sandbox_options.h"

namespace filecall::worker::guard {

/// One step of building the file tree that a confined program sees. It starts empty, so what no
/// step names does not exist for the program.
struct MountStep {
  enum class Kind : std::uint8_t {
    kSystem,  ///< Of the host, read-only, or the link itself when it leads to such; may be absent.
    kDevice,  ///< A device file of the host; may be absent.
    kLink,    ///< A symbolic link to `target`.
    kTmpfs,   ///< Empty, writable, limited; gone afterwards.
    kTerminals,  ///< Own pseudo terminals.
    kProc,       ///< Own /proc, read-only.
    kBind,       ///< Of the host, `writable` or not; may be absent. No link is followed.
    kPin,        ///< Mounted on itself, so that it cannot be renamed or removed.
    kHide,       ///< Covered by nothing; may be absent.
  };
  Kind kind;
  std::string path;
  std::string target;
  bool writable = false;

  bool operator==(const MountStep&) const = default;
};

/// Files of the host that every program may read: programs, libraries, and the part of /etc that
/// holds no secrets. Links among them are followed, or kept when they lead to /usr.
const std::vector<std::string>& system_paths();
/// The harmless device files.
const std::vector<std::string>& device_paths();

/// The steps, parents before children. `protected_paths` exist and become read-only. Pure.
std::vector<MountStep> plan_mounts(const SandboxOptions& options,
                                   const std::vector<std::string>& protected_paths);

}  // namespace filecall::worker::guard
