// SPDX-License-Identifier: MIT
#include "client/eval/statistics/agreement.h"

#include <gtest/gtest.h>

#include <vector>

namespace filecall::client {
namespace {

using Counts = std::vector<std::vector<int>>;

Agreement agreement_of(const Counts& counts, const std::vector<double>& values) {
  AgreementTable table;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    for (std::size_t column = 0; column < counts.size(); ++column) {
      for (int i = 0; i < counts[row][column]; ++i) {
        table.add({std::to_string(row), values[row]}, {std::to_string(column), values[column]});
      }
    }
  }
  return table.agreement();
}

void expect_kappa(const Kappa& kappa, double value, double error, double low, double high) {
  ASSERT_TRUE(kappa.value && kappa.standard_error && kappa.interval);
  EXPECT_NEAR(*kappa.value, value, 1e-12);
  EXPECT_NEAR(*kappa.standard_error, error, 1e-12);
  EXPECT_NEAR(kappa.interval->low, low, 1e-9);
  EXPECT_NEAR(kappa.interval->high, high, 1e-9);
}

TEST(Agreement, IsCohensKappa) {
  // By hand: 35 of 50 agree, 0.5 * 0.6 + 0.5 * 0.4 of them by chance; (0.7 - 0.5) / (1 - 0.5).
  const Agreement two = agreement_of({{20, 5}, {10, 15}}, {1, 0});
  EXPECT_EQ(two.answers, 50);
  EXPECT_DOUBLE_EQ(*two.share, 0.7);
  expect_kappa(two.kappa, 0.4, 0.12699606293110033, 0.151092290476661, 0.6489077095233389);
  EXPECT_NEAR(*two.weighted.value, 0.4, 1e-12) << "two labels have one distance";
  // By statsmodels.stats.inter_rater.cohens_kappa, also with wt="quadratic".
  const Agreement three = agreement_of({{44, 5, 1}, {7, 20, 3}, {9, 5, 6}}, {1, 0.5, 0});
  expect_kappa(three.kappa, 0.49152542372881347, 0.07212745929334068, 0.35015820121748686,
               0.6328926462401401);
  expect_kappa(three.weighted, 0.4545454545454546, 0.09397969777572601, 0.27034863162707257,
               0.6387422774638366);
}

TEST(Agreement, WeighsByTheValuesAndNotByTheirUnit) {
  const Counts counts = {{4, 2, 0}, {1, 5, 1}, {0, 2, 3}};
  const Agreement shares = agreement_of(counts, {1, 0.5, 0});
  const Agreement points = agreement_of(counts, {5, 3, 1});
  EXPECT_NEAR(*shares.weighted.value, *points.weighted.value, 1e-12);
  EXPECT_NE(*agreement_of(counts, {1, 0.9, 0}).weighted.value, *shares.weighted.value);
}

TEST(Agreement, IsNotKnownWhereNothingTells) {
  EXPECT_FALSE(AgreementTable().agreement().share);
  const Agreement uniform = agreement_of({{7, 0}, {0, 0}}, {1, 0});
  EXPECT_DOUBLE_EQ(*uniform.share, 1);
  EXPECT_LT(uniform.share_interval->low, 0.7) << "seven of seven say little";
  EXPECT_FALSE(uniform.kappa.value) << "all of it would be expected by chance";
  EXPECT_FALSE(uniform.weighted.value);
  const Agreement perfect = agreement_of({{4, 0}, {0, 3}}, {1, 0});
  EXPECT_DOUBLE_EQ(*perfect.kappa.value, 1);
  EXPECT_FALSE(perfect.kappa.interval) << "seven answers do not prove it";
  const Agreement opposite = agreement_of({{0, 5}, {5, 0}}, {1, 0});
  EXPECT_DOUBLE_EQ(*opposite.kappa.value, -1);
  const Agreement chance = agreement_of({{5, 5}, {5, 5}}, {1, 0});
  EXPECT_NEAR(*chance.kappa.value, 0, 1e-12);
}

TEST(Fleiss, IsThePublishedExample) {
  // Fourteen raters, ten answers, five labels (Wikipedia, "Fleiss' kappa").
  const Counts counts = {{0, 0, 0, 0, 14}, {0, 2, 6, 4, 2}, {0, 0, 3, 5, 6}, {0, 3, 9, 2, 0},
                         {2, 2, 8, 1, 1},  {7, 7, 0, 0, 0}, {3, 2, 6, 3, 0}, {2, 5, 3, 2, 2},
                         {6, 5, 2, 1, 0},  {0, 2, 2, 3, 7}};
  FleissTable table;
  for (const std::vector<int>& row : counts) {
    std::vector<std::string> labels;
    for (std::size_t label = 0; label < row.size(); ++label) {
      labels.insert(labels.end(), static_cast<std::size_t>(row[label]), std::to_string(label));
    }
    table.add(labels);
  }
  EXPECT_EQ(table.answers(), 10);
  EXPECT_NEAR(*table.kappa(), 0.20993070442195522, 1e-12);
  const std::vector<std::string> fewer = {"0", "1"};
  table.add(fewer);
  EXPECT_EQ(table.answers(), 10) << "only what all of them rated";
}

TEST(Fleiss, IsNotKnownWhereAllSayTheSame) {
  FleissTable table;
  EXPECT_FALSE(table.kappa());
  const std::vector<std::string> same = {"a", "a"};
  table.add(same);
  EXPECT_FALSE(table.kappa());
}

}  // namespace
}  // namespace filecall::client
