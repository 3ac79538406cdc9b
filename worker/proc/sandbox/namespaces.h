// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include "worker/proc/guard/report.h"
#include "worker/proc/sandbox/sandbox_options.h"

namespace filecall::worker::guard {

/// Like fork(), the child in the namespaces that the options use. Without the right to make them
/// directly (CAP_SYS_ADMIN) it gets a user namespace too, in which it has it; the child must then
/// call map_ids() first. -1: errno says why.
pid_t fork_into_namespaces(const SandboxOptions& options);

/// In the child: the user and group that it had stay what they are.
StepFailure map_ids(uid_t user, gid_t group);

/// True when fork_into_namespaces() needs a user namespace.
bool needs_user_namespace();

}  // namespace filecall::worker::guard
