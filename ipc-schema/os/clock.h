// SPDX-License-Identifier: MIT
#pragma once

#include <ctime>

#include "base/time.h"

namespace filecall {

/// The only readers of the machine's clocks. Any thread.
MonotonicTime monotonic_now();
WallTime wall_now();

/// A file's time, as stat(2) gives it. Pure.
WallTime wall_time_of(const timespec& time);

}  // namespace filecall
