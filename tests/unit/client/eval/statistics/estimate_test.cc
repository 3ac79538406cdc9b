// SPDX-License-Identifier: MIT
#include "client/eval/statistics/estimate.h"

#include <gtest/gtest.h>

#include <vector>

namespace filecall::client {
namespace {

/// One list of scores an item; an answer passes from 0.5 on.
std::vector<Cluster> answers(const std::vector<std::vector<double>>& items) {
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const double score : items[i]) observations.push_back({i, score, score >= 0.5});
  }
  return clusters_of(observations);
}

void expect_interval(const Estimate& estimate, double low, double high) {
  ASSERT_TRUE(estimate.interval);
  EXPECT_NEAR(estimate.interval->low, low, 1e-9);
  EXPECT_NEAR(estimate.interval->high, high, 1e-9);
}

TEST(WilsonInterval, IsThePublishedOne) {
  // Newcombe, Statistics in Medicine 17 (1998), table I, gives four digits; the rest by SciPy 1.10.
  const struct {
    double passed, trials, low, high;
  } rows[] = {{81, 263, 0.2552885198782742, 0.36620957698280004},
              {15, 148, 0.06238639953073629, 0.16048724172330803},
              {0, 10, 0, 0.27753279986288926},
              {10, 10, 0.7224672001371109, 1},
              {5, 10, 0.236593090512564, 0.7634069094874361},
              {1, 1, 0.20654931437723745, 1}};
  for (const auto& row : rows) {
    const Interval interval = wilson_interval(row.passed / row.trials, row.trials);
    EXPECT_NEAR(interval.low, row.low, 1e-12) << row.passed << " of " << row.trials;
    EXPECT_NEAR(interval.high, row.high, 1e-12) << row.passed << " of " << row.trials;
  }
}

TEST(MeanScore, IsNothingWithoutObservations) {
  const Estimate estimate = mean_score({});
  EXPECT_FALSE(estimate.value);
  EXPECT_FALSE(estimate.standard_error);
  EXPECT_FALSE(estimate.interval);
  EXPECT_EQ(estimate.method, IntervalMethod::kNone);
}

TEST(MeanScore, HasTheTextbooksErrorWithOneAnswerAnItem) {
  const auto clusters = answers({{.1}, {.5}, {.4}, {.9}, {.75}, {.3}});
  const Estimate estimate = mean_score(clusters);
  EXPECT_NEAR(*estimate.value, 0.49166666666666664, 1e-12);
  EXPECT_NEAR(*estimate.standard_error, 0.12001157351596461, 1e-12) << "scipy.stats.sem";
  EXPECT_EQ(estimate.method, IntervalMethod::kStudentT);
  expect_interval(estimate, 0.18316709560297356, 0.8001662377303598);
}

TEST(MeanScore, CountsEachItemOnceHoweverOftenItWasAnswered) {
  // The mean and standard error of .3 .9 .6 .2 .8, the items' means; Student's t of 4 degrees.
  const auto clusters = answers({{.2, .4}, {.9}, {.5, .7, .6}, {.1, .3}, {.8}});
  const Estimate estimate = mean_score(clusters);
  EXPECT_NEAR(*estimate.value, 0.56, 1e-12);
  EXPECT_EQ(estimate.observations, 9);
  EXPECT_EQ(estimate.items, 5);
  EXPECT_NEAR(*estimate.standard_error, 0.13638181696985857, 1e-12);
  expect_interval(estimate, 0.18134337183605403, 0.9386566281639459);
}

TEST(MeanScore, IsCutToWhatAScoreCanBe) {
  const auto clusters = answers({{1, 1, 0}, {0, 0, 0}, {1, 1, 1}, {1, 0, 0}});
  const Estimate estimate = mean_score(clusters);
  EXPECT_NEAR(*estimate.standard_error, 0.21516574145596762, 1e-12);
  EXPECT_EQ(estimate.method, IntervalMethod::kStudentT) << "with repeats it is no plain proportion";
  expect_interval(estimate, 0, 1);
}

TEST(MeanScore, IsNotSurerForTheSameAnswersTwice) {
  const auto once = answers({{1}, {0}, {1}, {1}, {0}, {.5}});
  const auto twice = answers({{1, 1}, {0, 0}, {1, 1}, {1, 1}, {0, 0}, {.5, .5}});
  EXPECT_NEAR(*mean_score(once).standard_error, *mean_score(twice).standard_error, 1e-12);
}

TEST(MeanScore, IsAProportionWhenEveryAnswerIsRightOrWrong) {
  const Estimate estimate = mean_score(answers({{1}, {0}, {1}, {0}, {1}, {0}, {1}, {0}, {1}, {0}}));
  EXPECT_EQ(estimate.method, IntervalMethod::kWilson);
  expect_interval(estimate, 0.236593090512564, 0.7634069094874361);
  EXPECT_NEAR(*estimate.standard_error, 1.0 / 6, 1e-12);
}

TEST(MeanScore, IsNeverCertainWhenAllAnswersAreAlike) {
  const Estimate all = mean_score(answers(std::vector<std::vector<double>>(10, {1, 1, 1})));
  EXPECT_EQ(all.method, IntervalMethod::kWilson);
  expect_interval(all, 0.7224672001371109, 1);
  const Estimate half = mean_score(answers(std::vector<std::vector<double>>(10, {.5})));
  expect_interval(half, 0.236593090512564, 0.7634069094874361);
}

TEST(MeanScore, HasAnIntervalButNoErrorForOneItem) {
  const Estimate estimate = mean_score(answers({{1, 1, 1, 1}}));
  EXPECT_FALSE(estimate.standard_error);
  expect_interval(estimate, 0.20654931437723745, 1);
  EXPECT_TRUE(estimate.has_few_items());
}

TEST(PassRate, CountsPassedAnswers) {
  const Estimate estimate =
      pass_rate(answers({{.6}, {.1}, {.9}, {.2}, {.5}, {0}, {1}, {0}, {1}, {0}}));
  EXPECT_NEAR(*estimate.value, 0.5, 1e-12);
  expect_interval(estimate, 0.236593090512564, 0.7634069094874361);
}

TEST(Clusters, DoNotDependOnTheOrderOfReading) {
  std::vector<Observation> observations;
  for (int i = 0; i < 300; ++i) {
    observations.push_back({static_cast<std::uint64_t>(i % 7), 0.1 * (i % 11), i % 3 == 0});
  }
  const auto forward = clusters_of(observations);
  std::vector<Observation> reversed(observations.rbegin(), observations.rend());
  const auto backward = clusters_of(reversed);
  ASSERT_EQ(forward.size(), 7U);
  for (std::size_t i = 0; i < forward.size(); ++i) {
    EXPECT_EQ(forward[i].score_sum, backward[i].score_sum);
    EXPECT_EQ(forward[i].passes, backward[i].passes);
  }
}

TEST(ItemKey, DiffersByName) { EXPECT_NE(item_key("q-1"), item_key("q-2")); }

}  // namespace
}  // namespace filecall::client
