// SPDX-License-Identifier: MIT
#include "worker/core/lifecycle.h"

#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

using enum Phase;
using enum LifecycleEvent;

TEST(Lifecycle, DrainsOnTheFirstSignalAndStopsOnTheSecond) {
  EXPECT_EQ(next_phase(kRunning, kStopSignal, false), kDraining);
  EXPECT_EQ(next_phase(kDraining, kStopSignal, false), kStopped);
  EXPECT_EQ(next_phase(kCancelling, kStopSignal, false), kStopped);
}

TEST(Lifecycle, CancelsOnlyWhenTheGraceIsOver) {
  EXPECT_EQ(next_phase(kDraining, kGraceOver, false), kCancelling);
  EXPECT_EQ(next_phase(kDraining, kIdle, false), kStopped);
  EXPECT_EQ(next_phase(kCancelling, kIdle, false), kStopped);
}

TEST(Lifecycle, WaitsForADiskUntilTheGraceIsOverAndNoLonger) {
  EXPECT_EQ(next_phase(kRunning, kStuck, false), kRunning);
  EXPECT_EQ(next_phase(kRunning, kStuck, true), kRunning);
  EXPECT_EQ(next_phase(kDraining, kStuck, true), kDraining);
  EXPECT_EQ(next_phase(kCancelling, kStuck, false), kStopped);
}

TEST(Lifecycle, EndsByItselfOnlyWithDrain) {
  EXPECT_EQ(next_phase(kRunning, kAllDrained, false), kRunning);
  EXPECT_EQ(next_phase(kRunning, kAllDrained, true), kStopped);
  EXPECT_EQ(next_phase(kRunning, kIdle, true), kRunning);
}

TEST(Lifecycle, NeverGoesBack) {
  for (int phase = 0; phase < kPhaseCount; ++phase) {
    for (int event = 0; event < kLifecycleEventCount; ++event) {
      for (const bool drain : {false, true}) {
        EXPECT_GE(next_phase(static_cast<Phase>(phase), static_cast<LifecycleEvent>(event), drain),
                  static_cast<Phase>(phase));
      }
    }
  }
}

}  // namespace
}  // namespace filecall::worker
