// SPDX-License-Identifier: MIT
#include "worker/core/destination_window.h"

#include <gtest/gtest.h>

#include <deque>

#include "base/random.h"

namespace filecall::worker {
namespace {

const MonotonicTime kNow{seconds(1000)};

TEST(DestinationWindow, AllowsAsManyAsItsConcurrency) {
  DestinationWindow window({.concurrency = 3}, kNow);
  for (int i = 0; i < 3; ++i) window.start(kNow);
  EXPECT_FALSE(window.has_room(kNow));
  EXPECT_TRUE(window.next_room(kNow).is_never());
  window.finish(0, Feedback::kNeutral, {}, kNow);
  EXPECT_TRUE(window.has_room(kNow));
}

TEST(DestinationWindow, PausesNoLongerThanTenMinutesWhateverAPeerAsksFor) {
  DestinationWindow window({.concurrency = 4}, kNow);
  window.start(kNow);
  window.finish(0, Feedback::kOverload, seconds(86'400), kNow);
  EXPECT_FALSE(window.has_room(kNow + seconds(599)));
  EXPECT_TRUE(window.has_room(kNow + seconds(600)));
}

TEST(DestinationWindow, HalvesOncePerRoundOfOverload) {
  DestinationWindow window({.concurrency = 16}, kNow);
  for (int i = 0; i < 16; ++i) window.start(kNow);
  for (std::uint64_t ticket = 0; ticket < 16; ++ticket) {
    window.finish(ticket, Feedback::kOverload, {}, kNow);
  }
  EXPECT_EQ(window.window(), 8);
  const auto ticket = window.start(kNow);
  window.finish(ticket, Feedback::kOverload, {}, kNow);
  EXPECT_EQ(window.window(), 4);
}

TEST(DestinationWindow, GrowsByOnePerWindowOfSuccessesUpToItsConcurrency) {
  DestinationWindow window({.concurrency = 4}, kNow);
  for (int i = 0; i < 3; ++i) window.finish(window.start(kNow), Feedback::kOverload, {}, kNow);
  EXPECT_EQ(window.window(), 1);
  window.finish(window.start(kNow), Feedback::kSuccess, {}, kNow);
  EXPECT_EQ(window.window(), 2);
  for (int i = 0; i < 100; ++i) window.finish(window.start(kNow), Feedback::kSuccess, {}, kNow);
  EXPECT_EQ(window.window(), 4);
}

TEST(DestinationWindow, PausesUntilTheInstantThatWasAskedFor) {
  DestinationWindow window({.concurrency = 4}, kNow);
  window.finish(window.start(kNow), Feedback::kOverload, seconds(30), kNow);
  EXPECT_FALSE(window.has_room(kNow + seconds(29)));
  EXPECT_EQ(window.next_room(kNow).when(), kNow + seconds(30));
  EXPECT_TRUE(window.has_room(kNow + seconds(30)));
}

TEST(DestinationWindow, SpacesStartsByItsRate) {
  DestinationWindow window({.concurrency = 100, .rate_per_s = 2, .burst = 1}, kNow);
  window.start(kNow);
  EXPECT_FALSE(window.has_room(kNow));
  EXPECT_EQ(window.next_room(kNow).when(), kNow + milliseconds(500));
}

TEST(DestinationWindow, NeverExceedsItsLimitsUnderRandomFeedback) {
  Random random(7);
  DestinationWindow window({.concurrency = 9, .rate_per_s = 50, .burst = 5}, kNow);
  std::deque<std::uint64_t> running;
  MonotonicTime now = kNow;
  for (int i = 0; i < 20000; ++i) {
    now += milliseconds(random.below(20));
    if (random.below(2) == 0 && window.has_room(now)) running.push_back(window.start(now));
    if (random.below(3) == 0 && !running.empty()) {
      window.finish(
          running.front(), static_cast<Feedback>(random.below(3)),
          random.below(10) == 0 ? std::optional<Duration>(milliseconds(100)) : std::nullopt, now);
      running.pop_front();
    }
    ASSERT_EQ(window.in_flight(), static_cast<int>(running.size()));
    ASSERT_LE(window.in_flight(), 9);
    ASSERT_GE(window.window(), 1);
    ASSERT_LE(window.window(), 9);
    const Deadline wake = window.next_room(now);
    if (!wake.is_never()) {
      ASSERT_TRUE(window.has_room(wake.when()));
    }
  }
}

}  // namespace
}  // namespace filecall::worker
