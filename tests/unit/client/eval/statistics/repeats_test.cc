// SPDX-License-Identifier: MIT
#include "client/eval/statistics/repeats.h"

#include <gtest/gtest.h>

#include <vector>

namespace filecall::client {
namespace {

std::vector<Cluster> items(const std::vector<std::pair<std::int64_t, std::int64_t>>& rows) {
  std::vector<Cluster> clusters;
  for (const auto& [answers, passes] : rows) {
    clusters.push_back({.item = clusters.size(),
                        .observations = answers,
                        .score_sum = static_cast<double>(passes),
                        .passes = passes});
  }
  return clusters;
}

TEST(PassAtK, IsTheQuotientOfBinomials) {
  // By exact fractions in Python.
  const struct {
    std::int64_t answers, passes, k;
    double any, all;
  } rows[] = {{10, 3, 1, 0.3, 0.3},
              {10, 3, 5, 0.9166666666666666, 0},
              {5, 5, 2, 1, 1},
              {5, 0, 3, 0, 0},
              {200, 13, 100, 0.9999194971988055, 0},
              {200, 13, 10, 0.49755111473060615, 1.2738851058221087e-14},
              {4, 2, 2, 0.8333333333333334, 0.16666666666666666},
              {8, 7, 8, 1, 0},
              {8, 8, 8, 1, 1},
              {3, 1, 2, 0.6666666666666666, 0}};
  for (const auto& row : rows) {
    EXPECT_NEAR(pass_at_k(row.answers, row.passes, row.k), row.any, 1e-12) << row.answers;
    EXPECT_NEAR(pass_hat_k(row.answers, row.passes, row.k), row.all, 1e-15) << row.answers;
  }
}

TEST(EstimateRepeats, AveragesOverItems) {
  const auto clusters = items({{4, 0}, {4, 1}, {4, 2}, {4, 4}});
  const RepeatEstimate estimate = estimate_repeats(clusters, 2);
  EXPECT_NEAR(*estimate.pass_at_k.value, 0.5833333333333334, 1e-12);
  EXPECT_NEAR(*estimate.pass_at_k.standard_error, 0.22047927592204922, 1e-12);
  EXPECT_NEAR(*estimate.pass_hat_k.value, 0.2916666666666667, 1e-12);
  EXPECT_NEAR(*estimate.pass_hat_k.standard_error, 0.23935677693908453, 1e-12);
  EXPECT_EQ(estimate.items_left_out, 0);
}

TEST(EstimateRepeats, LeavesOutItemsWithTooFewAnswers) {
  const RepeatEstimate estimate = estimate_repeats(items({{4, 4}, {1, 0}, {2, 2}, {3, 0}}), 2);
  EXPECT_EQ(estimate.items_left_out, 1);
  EXPECT_EQ(estimate.pass_at_k.items, 3);
  EXPECT_NEAR(*estimate.pass_at_k.value, 2.0 / 3, 1e-12);
}

TEST(UsualRepeats, IsWhatMostItemsHave) {
  EXPECT_EQ(usual_repeats(items({{4, 0}, {4, 1}, {3, 2}})), 4);
  EXPECT_EQ(usual_repeats(items({{5, 0}, {2, 1}})), 2) << "the smaller one of two";
  EXPECT_EQ(usual_repeats({}), 0);
}

}  // namespace
}  // namespace filecall::client
