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

TEST(DestinationWindow, EachRefusalTakesAPlaceAway) {
  DestinationWindow window({.concurrency = 16}, kNow);
  for (int i = 0; i < 16; ++i) window.start(kNow);
  for (std::uint64_t ticket = 0; ticket < 12; ++ticket) {
    window.finish(ticket, Feedback::kOverload, {}, kNow);
  }
  EXPECT_EQ(window.window(), 4) << "as many as were not refused";
}

TEST(DestinationWindow, StartsFewerAtOnceWithoutAPauseWhereThisMachineLacksRoom) {
  DestinationWindow window({.concurrency = 4}, kNow);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(window.has_room(kNow));
    window.finish(window.start(kNow), Feedback::kShortage, {}, kNow);
  }
  EXPECT_EQ(window.window(), 1);
  EXPECT_TRUE(window.has_room(kNow));
}

/// Keeps the window full, so that every success may make it grow.
void succeed(DestinationWindow& window, int times) {
  std::deque<std::uint64_t> running;
  for (int i = 0; i < times; ++i) {
    while (window.has_room(kNow)) running.push_back(window.start(kNow));
    window.finish(running.front(), Feedback::kSuccess, {}, kNow);
    running.pop_front();
  }
  for (const auto ticket : running) window.finish(ticket, Feedback::kNeutral, {}, kNow);
}

TEST(DestinationWindow, GrowsSlowlyAtFirstAndThenFaster) {
  DestinationWindow window({.concurrency = 64}, kNow);
  for (int i = 0; i < 64; ++i) window.start(kNow);
  for (std::uint64_t ticket = 0; ticket < 60; ++ticket) {
    window.finish(ticket, Feedback::kOverload, Duration::zero(), kNow);
  }
  for (std::uint64_t ticket = 60; ticket < 64; ++ticket) {
    window.finish(ticket, Feedback::kNeutral, {}, kNow);
  }
  EXPECT_EQ(window.window(), 4);
  succeed(window, 8);
  EXPECT_EQ(window.window(), 4) << "a little more is asked for only later";
  succeed(window, 20);
  EXPECT_GT(window.window(), 6);
  succeed(window, 200);
  EXPECT_EQ(window.window(), 64);
}

TEST(DestinationWindow, GrowsFromOnePlaceAgain) {
  DestinationWindow window({.concurrency = 64}, kNow);
  for (int i = 0; i < 64; ++i) window.start(kNow);
  for (std::uint64_t ticket = 0; ticket < 64; ++ticket) {
    window.finish(ticket, Feedback::kOverload, Duration::zero(), kNow);
  }
  ASSERT_EQ(window.window(), 1);
  succeed(window, 300);
  EXPECT_EQ(window.window(), 64);
}

TEST(DestinationWindow, AFewRefusalsAmongManySuccessesChangeNothing) {
  DestinationWindow window({.concurrency = 32}, kNow);
  succeed(window, 200);
  for (int i = 0; i < 4; ++i) {
    window.finish(window.start(kNow), Feedback::kOverload, seconds(30), kNow);
    EXPECT_EQ(window.window(), 32);
    EXPECT_TRUE(window.has_room(kNow)) << "only who was refused waits";
  }
  window.finish(window.start(kNow), Feedback::kOverload, seconds(30), kNow);
  EXPECT_EQ(window.window(), 31);
}

TEST(DestinationWindow, ARefusalOfWhatBeganAfterARefusalPausesAll) {
  DestinationWindow window({.concurrency = 32}, kNow);
  succeed(window, 1);
  const auto earlier = window.start(kNow);
  window.finish(window.start(kNow), Feedback::kOverload, seconds(3), kNow);
  EXPECT_TRUE(window.has_room(kNow)) << "it coped a moment ago";
  window.finish(earlier, Feedback::kOverload, seconds(3), kNow);
  EXPECT_TRUE(window.has_room(kNow)) << "that began before it was known";
  window.finish(window.start(kNow), Feedback::kOverload, seconds(3), kNow);
  EXPECT_FALSE(window.has_room(kNow));
  EXPECT_TRUE(window.has_room(kNow + seconds(3)));
}

TEST(DestinationWindow, WaitsLongerAndLongerWhereNoTimeIsSaid) {
  DestinationWindow window({.concurrency = 8}, kNow);
  MonotonicTime now = kNow;
  Duration last{};
  for (int i = 0; i < 8; ++i) {
    window.finish(window.start(now), Feedback::kOverload, {}, now);
    const Duration pause = window.paused_until() - now;
    EXPECT_GE(pause, last);
    last = pause;
    now = window.paused_until();
  }
  EXPECT_EQ(last, seconds(10));
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
