// SPDX-License-Identifier: MIT
#include "client/core/retry_policy.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace filecall::client {
namespace {

TEST(RetryPolicy, NeverWaitsLongerThanTheCeilingOfTheAttempt) {
  const RetryPolicy policy{.backoff_base = milliseconds(100), .backoff_max = milliseconds(500)};
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LE(policy.backoff(1, std::nullopt, random), milliseconds(100));
    EXPECT_LE(policy.backoff(2, std::nullopt, random), milliseconds(200));
    EXPECT_LE(policy.backoff(3, std::nullopt, random), milliseconds(400));
    EXPECT_LE(policy.backoff(4, std::nullopt, random), milliseconds(500));
    EXPECT_LE(policy.backoff(400, std::nullopt, random), milliseconds(500));
    EXPECT_GT(policy.backoff(1, std::nullopt, random), Duration::zero());
  }
}

TEST(RetryPolicy, SpreadsWaitsOverTheWholeRange) {
  const RetryPolicy policy{.backoff_base = seconds(1), .backoff_max = seconds(60)};
  Random random(2);
  Duration least = seconds(1);
  Duration most{};
  for (int i = 0; i < 1000; ++i) {
    const Duration wait = policy.backoff(1, std::nullopt, random);
    least = std::min(least, wait);
    most = std::max(most, wait);
  }
  EXPECT_LT(least, milliseconds(50));
  EXPECT_GT(most, milliseconds(950));
}

TEST(RetryPolicy, TakesRetryAfterAsAFloorEvenAboveTheMaximum) {
  const RetryPolicy policy{.backoff_base = milliseconds(1), .backoff_max = milliseconds(2)};
  Random random(3);
  EXPECT_EQ(policy.backoff(1, seconds(90), random), seconds(90));
}

TEST(RetryPolicy, DoesNotWaitWithAZeroBase) {
  const RetryPolicy policy{.backoff_base = Duration::zero()};
  Random random(4);
  EXPECT_EQ(policy.backoff(2, std::nullopt, random), Duration::zero());
}

TEST(RetryPolicy, TellsAPauseFromAFailedAttempt) {
  const RetryPolicy policy{
      .backoff_base = Duration::zero(), .pause_max = seconds(100), .outage_max = seconds(60)};
  constexpr auto kLimit = ErrorCode::kResourceExhausted;
  constexpr auto kAway = ErrorCode::kUnavailable;
  struct Row {
    const char* what;
    RetryPolicy::Ask ask;
    Duration paused;
    std::optional<Duration> expected;
  };
  const Row rows[] = {
      {"a limit that says when", {kLimit, seconds(7)}, {}, seconds(7)},
      {"at once is a moment too", {kLimit, seconds(0)}, {}, seconds(0)},
      {"a limit that says nothing", {kLimit, {}}, {}, {}},
      {"a provider's limit that says nothing", {kLimit, {}, true}, {}, seconds(0)},
      {"overloaded", {kAway, seconds(7)}, {}, {}},
      {"overloaded, and said for how long", {kAway, seconds(7), true}, {}, seconds(7)},
      {"up to the end", {kLimit, seconds(7)}, seconds(93), seconds(7)},
      {"beyond the end", {kLimit, seconds(7)}, seconds(94), {}},
      {"longer than all", {kLimit, seconds(101)}, {}, {}},
      {"at once, at the end", {kLimit, seconds(0)}, seconds(100), {}},
      {"away", {kAway, seconds(5), false, seconds(59)}, {}, seconds(5)},
      {"away for too long", {kAway, seconds(5), false, seconds(60)}, {}, {}},
      {"away, and waited for enough", {kAway, seconds(5), true, seconds(1)}, seconds(96), {}},
  };
  Random random(5);
  for (const Row& row : rows) {
    EXPECT_EQ(policy.pause(row.ask, 0, row.paused, random), row.expected) << row.what;
  }
}

TEST(RetryPolicy, AsksWhoSaysNothingLessAndLessOften) {
  const RetryPolicy policy{.backoff_base = seconds(1), .backoff_max = seconds(60)};
  Random random(7);
  Duration most{};
  for (int i = 0; i < 200; ++i) {
    const RetryPolicy::Ask ask{ErrorCode::kResourceExhausted, {}, true};
    most = std::max(most, policy.pause(ask, 5, {}, random).value_or(Duration::zero()));
  }
  EXPECT_GT(most, seconds(20));
  EXPECT_LE(most, seconds(32));
}

TEST(RetryPolicy, SpreadsThosePausedForAMomentOnly) {
  const RetryPolicy policy{.backoff_base = seconds(1)};
  Random random(6);
  Duration most{};
  for (int i = 0; i < 100; ++i) {
    most = std::max(most,
                    policy.pause({ErrorCode::kResourceExhausted, Duration::zero()}, 0, {}, random)
                        .value_or(Duration::zero()));
  }
  EXPECT_GT(most, milliseconds(500));
  EXPECT_LE(most, seconds(1));
}

TEST(RetryPolicy, ChargesAPauseWithASecondAtLeast) {
  EXPECT_EQ(RetryPolicy::pause_charge(Duration::zero()), seconds(1));
  EXPECT_EQ(RetryPolicy::pause_charge(seconds(9)), seconds(9));
}

}  // namespace
}  // namespace filecall::client
