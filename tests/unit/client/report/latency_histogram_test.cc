// SPDX-License-Identifier: MIT
#include "client/report/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace filecall::client {
namespace {

std::int64_t nearest_rank(const std::vector<std::int64_t>& sorted, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()) - 1e-9);
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

TEST(LatencyHistogram, AgreesWithSortingWithinOnePercent) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Random random(seed);
    LatencyHistogram histogram;
    std::vector<std::int64_t> values;
    for (int i = 0; i < 20'000; ++i) {
      // From below a millisecond to hours, as latencies are: uniform in the logarithm.
      values.push_back(static_cast<std::int64_t>(
          std::exp(static_cast<double>(random.below(1U << 20)) * 17 / (1U << 20))));
      histogram.add(values.back());
    }
    std::sort(values.begin(), values.end());
    for (const double percent : {0.0, 1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 99.99, 100.0}) {
      const auto exact = static_cast<double>(nearest_rank(values, percent));
      const auto ours = static_cast<double>(histogram.percentile(percent));
      EXPECT_NEAR(ours, exact, exact * 0.01 + 0.5) << "p" << percent << " seed " << seed;
    }
    EXPECT_EQ(histogram.min(), values.front());
    EXPECT_EQ(histogram.max(), values.back());
  }
}

TEST(LatencyHistogram, IsExactForSmallValues) {
  LatencyHistogram histogram;
  for (int value = 1; value <= 100; ++value) histogram.add(value);
  EXPECT_EQ(histogram.percentile(50), 50);
  EXPECT_EQ(histogram.percentile(90), 90);
  EXPECT_EQ(histogram.percentile(99), 99);
  EXPECT_DOUBLE_EQ(histogram.mean(), 50.5);
}

TEST(LatencyHistogram, TakesTheExtremesOfItsRange) {
  LatencyHistogram histogram;
  histogram.add(INT64_MAX);
  histogram.add(-5);
  EXPECT_EQ(histogram.percentile(0), 0);
  EXPECT_EQ(histogram.percentile(100), INT64_MAX);
}

TEST(LatencyHistogram, SaysZeroWhenEmpty) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.percentile(99), 0);
  EXPECT_EQ(histogram.max(), 0);
  EXPECT_TRUE(histogram.chart(10).empty());
}

TEST(LatencyHistogram, ChartHoldsEveryValueInAdjacentBuckets) {
  Random random(7);
  LatencyHistogram histogram;
  for (int i = 0; i < 5'000; ++i) histogram.add(static_cast<std::int64_t>(random.below(90'000)));
  const auto chart = histogram.chart(40);
  ASSERT_FALSE(chart.empty());
  EXPECT_LE(chart.size(), 40u);
  EXPECT_GE(chart.size(), 20u);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < chart.size(); ++i) {
    total += chart[i].count;
    EXPECT_LE(chart[i].low, chart[i].high);
    if (i > 0) {
      EXPECT_EQ(chart[i].low, chart[i - 1].high + 1);
    }
  }
  EXPECT_EQ(total, 5'000);
}

TEST(LatencyHistogram, ChartOfOneValueIsOneBucket) {
  LatencyHistogram histogram;
  histogram.add(42);
  const auto chart = histogram.chart(40);
  ASSERT_EQ(chart.size(), 1u);
  EXPECT_EQ(chart[0].low, 42);
  EXPECT_EQ(chart[0].high, 42);
}

}  // namespace
}  // namespace filecall::client
