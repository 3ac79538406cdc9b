// SPDX-License-Identifier: MIT
#pragma once

#include "base/time.h"

namespace filecall::worker {

/// Tells systemd (sd_notify(3)) how the worker is; says nothing when not run by it.
class ServiceManager {
 public:
  /// Reads WATCHDOG_USEC and NOTIFY_SOCKET.
  ServiceManager();

  void ready();
  void alive();
  void stopping();
  /// How often alive() must be called: half of WatchdogSec; Duration::max() without one.
  Duration watchdog_period() const { return watchdog_period_; }

 private:
  Duration watchdog_period_ = Duration::max();
};

}  // namespace filecall::worker
