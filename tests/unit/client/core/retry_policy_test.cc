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

}  // namespace
}  // namespace filecall::client
