// SPDX-License-Identifier: MIT
#include "worker/core/token_bucket.h"

#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

const MonotonicTime kStart{seconds(1000)};

TEST(TokenBucket, StartsFullAndRefillsAtItsRate) {
  TokenBucket bucket(10, 2, kStart);
  bucket.take(kStart);
  bucket.take(kStart);
  EXPECT_FALSE(bucket.has_token(kStart));
  EXPECT_FALSE(bucket.has_token(kStart + milliseconds(99)));
  EXPECT_TRUE(bucket.has_token(kStart + milliseconds(100)));
}

TEST(TokenBucket, KeepsNoMoreThanItsBurst) {
  TokenBucket bucket(1000, 3, kStart);
  const MonotonicTime later = kStart + seconds(60);
  for (int i = 0; i < 3; ++i) bucket.take(later);
  EXPECT_FALSE(bucket.has_token(later));
}

TEST(TokenBucket, WakesExactlyWhenTheTokenIsThere) {
  for (const double rate : {0.3, 1.0, 3.0, 7.0, 1000.0}) {
    TokenBucket bucket(rate, 1, kStart);
    MonotonicTime now = kStart;
    for (int i = 0; i < 100; ++i) {
      bucket.take(now);
      const MonotonicTime next = bucket.next_token(now);
      EXPECT_GT(next, now);
      EXPECT_TRUE(bucket.has_token(next)) << rate << " " << i;
      now = next;
    }
  }
}

TEST(TokenBucket, IgnoresAClockThatRunsBackwards) {
  TokenBucket bucket(1, 1, kStart);
  bucket.take(kStart);
  EXPECT_FALSE(bucket.has_token(kStart - seconds(100)));
  EXPECT_TRUE(bucket.has_token(kStart + seconds(1)));
}

TEST(TokenBucket, MayRunIntoDebtAndThenWaitsUntilItIsPaid) {
  const MonotonicTime start{};
  TokenBucket bucket(10, 100, start);
  bucket.take(start, 150);
  EXPECT_FALSE(bucket.has_token(start + seconds(5)));
  EXPECT_EQ(bucket.next_token(start), start + milliseconds(5100));
  EXPECT_TRUE(bucket.has_token(start + milliseconds(5100)));
}

}  // namespace
}  // namespace filecall::worker
