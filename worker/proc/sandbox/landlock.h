// SPDX-License-Identifier: MIT
#pragma once

#include "worker/proc/guard/report.h"
#include "worker/proc/sandbox/sandbox_options.h"

namespace filecall::worker::guard {

/// The kernel's Landlock version; 0: it has none, or it is switched off.
int landlock_abi();

/// Restricts the calling process and all it starts, for good. no_new_privs must be set.
StepFailure apply_landlock(const SandboxOptions& options);

}  // namespace filecall::worker::guard
