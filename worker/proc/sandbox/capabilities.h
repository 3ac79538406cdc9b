// SPDX-License-Identifier: MIT
#pragma once

#include "worker/proc/guard/report.h"

namespace filecall::worker::guard {

/// Gives up every capability, for good: also root's by exec. no_new_privs must be set.
StepFailure drop_capabilities();

}  // namespace filecall::worker::guard
