// SPDX-License-Identifier: MIT
#include "client/engine/timer_queue.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

const MonotonicTime kStart{seconds(100)};

TEST(TimerQueue, GivesWhatIsDueInOrderOfTime) {
  Flight a;
  Flight b;
  TimerQueue queue;
  queue.arm(a, TimerKind::kStep, kStart + seconds(2));
  queue.arm(b, TimerKind::kStep, kStart + seconds(1));
  EXPECT_EQ(queue.next(), Deadline::at(kStart + seconds(1)));
  EXPECT_FALSE(queue.take_due(kStart));
  EXPECT_EQ(queue.take_due(kStart + seconds(5))->flight, &b);
  EXPECT_EQ(queue.take_due(kStart + seconds(5))->flight, &a);
  EXPECT_FALSE(queue.take_due(kStart + seconds(5)));
  EXPECT_TRUE(queue.next().is_never());
}

TEST(TimerQueue, ReplacesATimerOfTheSameKindAndKeepsTheOther) {
  Flight a;
  TimerQueue queue;
  queue.arm(a, TimerKind::kStep, kStart + seconds(1));
  queue.arm(a, TimerKind::kSettle, kStart + seconds(3));
  queue.arm(a, TimerKind::kStep, kStart + seconds(2));
  EXPECT_FALSE(queue.take_due(kStart + seconds(1)));
  queue.disarm(a, TimerKind::kStep);
  EXPECT_EQ(queue.take_due(kStart + seconds(9))->kind, TimerKind::kSettle);
  EXPECT_TRUE(queue.next().is_never());
}

}  // namespace
}  // namespace filecall::client
