// SPDX-License-Identifier: MIT
#pragma once

#include "base/time.h"
#include "ipc/worker_status.h"

namespace filecall::spool {

/// How often the timer looks at the paths themselves (was a directory replaced?), at the longest.
inline constexpr Duration kReplacedCheckPeriod = seconds(10);

/// Pause between the end of a timer scan and the start of the next, from what the last one cost:
/// the more names there are, the rarer they are listed.
///   inotify: 5 s .. 1 h, below 0.05 % of a core. The scan is only a safety net there.
///   polling: poll_period .. 1 min, below 10 % of a core. The scan is how files are noticed.
Duration scan_pause(WatchMode mode, Duration scan_cost, Duration poll_period);

}  // namespace filecall::spool
