// SPDX-License-Identifier: MIT
#include "client/eval/statistics/paired.h"

#include <gtest/gtest.h>

#include <vector>

namespace filecall::client {
namespace {

/// One answer an item; items are numbered from `first`.
std::vector<Cluster> scores(const std::vector<double>& values, std::uint64_t first = 0) {
  std::vector<Observation> observations;
  for (const double value : values) observations.push_back({first++, value, value >= 0.5});
  return clusters_of(observations);
}

TEST(ComparePaired, IsThePairedTestOfAPublishedExample) {
  // Student's sleep data (Biometrika 1908), as R's `t.test(extra ~ group, paired = TRUE)` reports
  // it: t = 4.0621, p = 0.002833, interval 0.7001 to 2.4599. Hours divided by 10.
  const auto a = scores({.07, -.16, -.02, -.12, -.01, .34, .37, .08, 0, .20});
  const auto b = scores({.19, .08, .11, .01, -.01, .44, .55, .16, .46, .34});
  const PairedComparison result = compare_paired(a, b);
  EXPECT_NEAR(result.difference, 0.158, 1e-12);
  EXPECT_NEAR(result.difference / *result.standard_error, 4.0621, 5e-5);
  EXPECT_NEAR(*result.p_value, 0.002833, 5e-7);
  ASSERT_TRUE(result.interval);
  EXPECT_NEAR(result.interval->low, 0.07001, 5e-6);
  EXPECT_NEAR(result.interval->high, 0.24599, 5e-6);
  EXPECT_EQ(result.wins, 9);
  EXPECT_EQ(result.ties, 1);
  EXPECT_EQ(result.losses, 0);
}

TEST(ComparePaired, AgreesWithSciPy) {
  const auto a = scores({.5, .6, .9, .2, .4, .7, .3, .8});
  const auto b = scores({.7, .6, 1., .1, .6, .9, .3, .95});
  const PairedComparison result = compare_paired(a, b);
  EXPECT_NEAR(result.mean_a, 0.55, 1e-12);
  EXPECT_NEAR(result.mean_b, 0.64375, 1e-12);
  EXPECT_NEAR(result.difference, 0.09375, 1e-12);
  EXPECT_NEAR(*result.standard_error, 0.04057345631250629, 1e-12);
  EXPECT_NEAR(result.interval->low, -0.0021909787438593037, 1e-9);
  EXPECT_NEAR(result.interval->high, 0.18969097874385926, 1e-9);
  EXPECT_NEAR(*result.p_value, 0.054137008790862244, 1e-9);
  EXPECT_NEAR(result.sign_test_p, 0.21875, 1e-12);
  EXPECT_EQ(result.wins, 5);
  EXPECT_EQ(result.ties, 2);
  EXPECT_EQ(result.losses, 1);
}

TEST(ComparePaired, LooksOnlyAtCommonItems) {
  const PairedComparison result = compare_paired(scores({0, 0, 1}, 0), scores({1, 1, 0, 0}, 2));
  EXPECT_EQ(result.items, 1);
  EXPECT_EQ(result.only_a, 2);
  EXPECT_EQ(result.only_b, 3);
  EXPECT_EQ(result.mean_a, 1);
  EXPECT_EQ(result.mean_b, 1);
  EXPECT_FALSE(result.standard_error) << "one item says nothing of the spread";
  EXPECT_FALSE(result.p_value);
}

TEST(ComparePaired, AveragesRepeatsSoThatAnItemCountsOnce) {
  const auto a = clusters_of({{1, 0, false}, {1, 1, true}, {2, 0, false}});
  const auto b = clusters_of({{1, .5, true}, {2, 1, true}, {2, 1, true}, {2, 1, true}});
  const PairedComparison result = compare_paired(a, b);
  EXPECT_NEAR(result.mean_a, 0.25, 1e-12);
  EXPECT_NEAR(result.mean_b, 0.75, 1e-12);
  EXPECT_EQ(result.ties, 1);
  EXPECT_EQ(result.wins, 1);
}

TEST(ComparePaired, CallsARoundingErrorATie) {
  const PairedComparison result = compare_paired(scores({0.1 + 0.2, 1}), scores({0.3, 1}));
  EXPECT_EQ(result.ties, 2);
}

TEST(ComparePaired, TakesTheSignTestWhenThereIsNoSpread) {
  const PairedComparison better =
      compare_paired(scores({0, 0, 0, 0, 0}), scores({.5, .5, .5, .5, .5}));
  EXPECT_FALSE(better.interval);
  EXPECT_NEAR(*better.p_value, 0.0625, 1e-12);
  const PairedComparison same = compare_paired(scores({1, 0, 1}), scores({1, 0, 1}));
  EXPECT_EQ(same.difference, 0);
  EXPECT_EQ(*same.p_value, 1);
}

TEST(ComparePaired, IsEmptyWithoutCommonItems) {
  const PairedComparison result = compare_paired(scores({1}, 0), scores({1}, 5));
  EXPECT_EQ(result.items, 0);
  EXPECT_FALSE(result.p_value);
}

}  // namespace
}  // namespace filecall::client
