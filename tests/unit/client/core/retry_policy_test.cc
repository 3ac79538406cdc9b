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
  const RetryPolicy policy{.backoff_base = Duration::zero(), .pause_max = seconds(100)};
  struct Row {
    const char* what;
    ErrorCode code;
    std::optional<Duration> retry_after;
    Duration paused;
    std::optional<Duration> expected;
  };
  const Row rows[] = {
      {"a limit that says when", ErrorCode::kResourceExhausted, seconds(7), {}, seconds(7)},
      {"at once is a moment too", ErrorCode::kResourceExhausted, seconds(0), {}, seconds(0)},
      {"a limit that says nothing", ErrorCode::kResourceExhausted, {}, {}, {}},
      {"overloaded", ErrorCode::kUnavailable, seconds(7), {}, {}},
      {"up to the end", ErrorCode::kResourceExhausted, seconds(7), seconds(93), seconds(7)},
      {"beyond the end", ErrorCode::kResourceExhausted, seconds(7), seconds(94), {}},
      {"longer than all", ErrorCode::kResourceExhausted, seconds(101), {}, {}},
      {"at once, at the end", ErrorCode::kResourceExhausted, seconds(0), seconds(100), {}},
  };
  Random random(5);
  for (const Row& row : rows) {
    EXPECT_EQ(policy.pause(row.code, row.retry_after, row.paused, random), row.expected)
        << row.what;
  }
}

TEST(RetryPolicy, SpreadsThosePausedForAMomentOnly) {
  const RetryPolicy policy{.backoff_base = seconds(1)};
  Random random(6);
  Duration most{};
  for (int i = 0; i < 100; ++i) {
    most = std::max(most, policy.pause(ErrorCode::kResourceExhausted, Duration::zero(), {}, random)
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
