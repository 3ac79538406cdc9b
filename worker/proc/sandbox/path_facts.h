// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "worker/proc/sandbox/mount_plan.h"

namespace filecall::worker::guard {

/// Which file a path names, as far as a mount of it is concerned. A mounted file keeps its inode,
/// so the same numbers mean the same file; a link is not mounted, so its time counts too.
struct PathFacts {
  int error = 0;  ///< An errno value: it names none that can be had.
  dev_t device = 0;
  ino_t inode = 0;
  mode_t type = 0;
  std::int64_t link_changed_ns = 0;
  dev_t target_device = 0;  ///< Where a link leads; 0: nowhere.
  ino_t target_inode = 0;

  bool operator==(const PathFacts&) const = default;
};

/// Of each path of the host that the shared tree is made of, in their order.
std::vector<PathFacts> look_at_host(const std::vector<MountStep>& shared);

}  // namespace filecall::worker::guard
