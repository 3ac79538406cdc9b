// SPDX-License-Identifier: MIT
#include "worker/service_manager.h"

#include <systemd/sd-daemon.h>

#include <cstdint>

namespace filecall::worker {

ServiceManager::ServiceManager() {
  std::uint64_t watchdog_us = 0;
  if (sd_watchdog_enabled(0, &watchdog_us) > 0) {
    watchdog_period_ = std::chrono::microseconds(watchdog_us / 2);
  }
}

void ServiceManager::ready() { sd_notify(0, "READY=1\nSTATUS=Answering requests"); }
void ServiceManager::alive() { sd_notify(0, "WATCHDOG=1"); }
void ServiceManager::stopping() { sd_notify(0, "STOPPING=1"); }

}  // namespace filecall::worker
