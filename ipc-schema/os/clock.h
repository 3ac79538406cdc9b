// SPDX-License-Identifier: MIT
#pragma once

#include "base/time.h"

namespace filecall {

/// The only readers of the machine's clocks. Any thread.
MonotonicTime monotonic_now();
WallTime wall_now();

}  // namespace filecall
