// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "worker/proc/guard/report.h"
#include "worker/proc/sandbox/mount_plan.h"

namespace filecall::worker::guard {

/// Adds what plan_private_mounts() or plan_covers() says to the shared tree, which is the calling
/// process's file tree; `tmp_bytes` limits each kTmpfs. To be called in a mount namespace that is
/// this run's alone, with the privilege to mount. On failure the tree is half built: end the
/// process.
StepFailure add_own_mounts(const std::vector<MountStep>& plan, std::int64_t tmp_bytes);

/// Enters the directory `path` of the tree, if it is the one that `directory_fd` is open on. A
/// descriptor of the host's tree would be a way out of the new one.
StepFailure enter_directory(const char* path, int directory_fd);

}  // namespace filecall::worker::guard
