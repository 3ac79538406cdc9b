// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "worker/proc/guard/report.h"
#include "worker/proc/sandbox/mount_plan.h"

namespace filecall::worker::guard {

/// Replaces the calling process's file tree by what plan_shared_mounts() says; its root is then
/// read-only and the host's tree cannot be reached. To be called in a mount namespace of its own
/// with the privilege to mount. On failure the tree is half built: end the process.
StepFailure build_shared_tree(const std::vector<MountStep>& plan);

}  // namespace filecall::worker::guard
