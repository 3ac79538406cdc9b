// SPDX-License-Identifier: MIT
#include "spool/scan_schedule.h"

#include <gtest/gtest.h>

namespace filecall::spool {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;

TEST(ScanSchedule, FollowsItsTable) {
  const struct {
    WatchMode mode;
    Duration cost;
    Duration poll_period;
    Duration pause;
  } rows[] = {
      {WatchMode::kInotify, microseconds(50), milliseconds(200), seconds(5)},
      {WatchMode::kInotify, milliseconds(100), milliseconds(200), seconds(200)},
      {WatchMode::kInotify, seconds(2), milliseconds(200), hours(1)},
      {WatchMode::kInotify, Duration::max(), milliseconds(200), hours(1)},
      {WatchMode::kInotify, -seconds(1), milliseconds(200), seconds(5)},
      {WatchMode::kPoll, microseconds(50), milliseconds(200), milliseconds(200)},
      {WatchMode::kPoll, milliseconds(150), milliseconds(200), milliseconds(1500)},
      {WatchMode::kPoll, Duration::max(), milliseconds(200), minutes(1)},
      {WatchMode::kPoll, milliseconds(1), hours(2), hours(2)},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(scan_pause(row.mode, row.cost, row.poll_period), row.pause) << to_ms(row.cost);
  }
}

TEST(ScanSchedule, KeepsTheWatchedScanBelowATwoThousandth) {
  for (auto cost = Duration(microseconds(1)); cost < seconds(1); cost *= 3) {
    EXPECT_LE(cost * 2000, scan_pause(WatchMode::kInotify, cost, milliseconds(200)));
  }
}

}  // namespace
}  // namespace filecall::spool
