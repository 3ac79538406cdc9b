// SPDX-License-Identifier: MIT
#include "client/report/time_line.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

TEST(TimeLine, StaysBoundedAndLosesNothingWhenARunGrowsLong) {
  TimeLine line(milliseconds(100));
  constexpr int kEvents = 10'000;
  for (int i = 0; i < kEvents; ++i) {
    ++line.at(seconds(i)).success;
    if (i % 10 == 0) ++line.at(seconds(i)).gave_up;
  }
  EXPECT_LE(line.buckets().size(), TimeLine::kBucketsMax);
  std::int64_t success = 0;
  std::int64_t gave_up = 0;
  for (const auto& bucket : line.buckets()) {
    success += bucket.success;
    gave_up += bucket.gave_up;
  }
  EXPECT_EQ(success, kEvents);
  EXPECT_EQ(gave_up, kEvents / 10);
  EXPECT_GE(line.width() * static_cast<int>(line.buckets().size()), seconds(kEvents - 1));
}

TEST(TimeLine, CountsWhatCameBeforeTheBeginInTheFirstBucket) {
  TimeLine line(milliseconds(100));
  ++line.at(milliseconds(-5)).retries;
  ASSERT_EQ(line.buckets().size(), 1u);
  EXPECT_EQ(line.buckets()[0].retries, 1);
}

}  // namespace
}  // namespace filecall::client
