// SPDX-License-Identifier: MIT
#pragma once

#include "worker/proc/guard/options.h"

namespace filecall::worker::guard {

/// The tool's own process, between fork and exec. Each returns 0 or an errno value.

/// Resource limits. A limit above the hard limit that the worker runs under is lowered to it.
int apply_limits(const Limits& limits);

/// What the tool may not do to the machine. Now: gain privileges by exec. This is the one place
/// for namespaces, Landlock and seccomp, in that order: binds must exist before Landlock forbids
/// mounting, and seccomp forbids the system calls the other two need.
int confine();

}  // namespace filecall::worker::guard
