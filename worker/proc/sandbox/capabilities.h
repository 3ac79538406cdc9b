// SPDX-License-Identifier: MIT
#pragma once

#include "worker/proc/guard/report.h"

namespace filecall::worker::guard {

/// Nothing gives the calling process a capability again that it has given up: also root's exec does
/// not. It keeps those it has. no_new_privs must be set.
StepFailure bound_capabilities();

/// Gives up every capability, for good where bound_capabilities() was called before.
StepFailure clear_capabilities();

/// Both.
StepFailure drop_capabilities();

}  // namespace filecall::worker::guard
