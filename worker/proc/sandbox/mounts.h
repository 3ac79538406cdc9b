// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "worker/proc/guard/report.h"
#include "worker/proc/sandbox/mount_plan.h"

namespace filecall::worker::guard {

/// Replaces the calling process's file tree by what the plan says; its root is then read-only and
/// the host's tree cannot be reached. To be called in a mount namespace of its own with the
/// privilege to mount. On failure the tree is half built: end the process.
StepFailure enter_mounts(const std::vector<MountStep>& plan, std::int64_t tmp_bytes);

/// Enters the directory `path` of the new tree, if it is the one that `directory_fd` is open on. A
/// descriptor of the host's tree would be a way out of the new one.
StepFailure enter_directory(const char* path, int directory_fd);

}  // namespace filecall::worker::guard
