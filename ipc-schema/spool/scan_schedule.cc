// SPDX-License-Identifier: MIT
#include "spool/scan_schedule.h"

#include <algorithm>

namespace filecall::spool {
namespace {

constexpr Duration kWatchedMin = seconds(5);
constexpr Duration kWatchedMax = std::chrono::hours(1);
constexpr int kWatchedCostFactor = 2000;
constexpr Duration kPolledMax = std::chrono::minutes(1);
constexpr int kPolledCostFactor = 10;

Duration scaled(Duration cost, int factor, Duration max) {
  // Compared before it is multiplied: a clock that jumped must not overflow.
  return cost > max / factor ? max : cost * factor;
}

}  // namespace

Duration scan_pause(WatchMode mode, Duration scan_cost, Duration poll_period) {
  scan_cost = std::max(scan_cost, Duration::zero());
  if (mode == WatchMode::kInotify) {
    return std::max(kWatchedMin, scaled(scan_cost, kWatchedCostFactor, kWatchedMax));
  }
  return std::max(poll_period, scaled(scan_cost, kPolledCostFactor, kPolledMax));
}

}  // namespace filecall::spool
