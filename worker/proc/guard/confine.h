// SPDX-License-Identifier: MIT
#pragma once

#include "worker/proc/guard/options.h"
#include "worker/proc/guard/report.h"

namespace filecall::worker::guard {

/// The tool's own process, between fork and exec.

/// Resource limits; 0 or an errno value. A limit above the hard limit that the worker runs under
/// is lowered to it.
int apply_limits(const Limits& limits);

/// What the tool may not do to the machine: never gain privileges by exec; in a sandbox also what
/// the options say. Order: namespaces and mounts are there already (init.h, because Landlock
/// forbids mounting), then capabilities, Landlock, and seccomp, which forbids the calls that the
/// others need.
StepFailure confine(const SandboxOptions& sandbox);

}  // namespace filecall::worker::guard
