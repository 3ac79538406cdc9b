// SPDX-License-Identifier: MIT
#include "client/eval/statistics/score_tally.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

TEST(ScoreTally, NeverCountsWhatWasNotGradedAsZero) {
  ScoreTally tally;
  tally.add_graded(1, 1, true);
  tally.add_graded(2, 1, true);
  tally.counts().error += 5;
  tally.counts().refusal += 1;
  tally.counts().truncated += 1;
  tally.counts().ungraded += 1;
  const ScoreSummary summary = summarize(tally);
  EXPECT_EQ(*summary.score.value, 1);
  EXPECT_EQ(*summary.pass_rate.value, 1);
  EXPECT_EQ(summary.counts.total(), 10);
}

TEST(ScoreTally, CountsErrorsAndUngradedAnswersAsFailuresOfTheRun) {
  OutcomeCounts counts;
  EXPECT_EQ(counts.error_rate(), 0);
  counts = {.graded = 5, .ungraded = 1, .error = 2, .refusal = 1, .truncated = 1};
  EXPECT_NEAR(counts.error_rate(), 0.3, 1e-12);
}

TEST(ScoreTally, ReportsRepeatsWhenMostItemsHaveThem) {
  ScoreTally tally;
  for (std::uint64_t item = 0; item < 3; ++item) {
    for (int repeat = 0; repeat < 4; ++repeat) tally.add_graded(item, repeat == 0, repeat == 0);
  }
  const ScoreSummary summary = summarize(tally);
  EXPECT_EQ(summary.repeats.k, 4);
  EXPECT_EQ(*summary.repeats.pass_at_k.value, 1);
  EXPECT_EQ(*summary.repeats.pass_hat_k.value, 0);
  EXPECT_EQ(*summary.score.value, 0.25);
}

TEST(ScoreTally, HasNothingToSayWithoutGrades) {
  const ScoreSummary summary = summarize(ScoreTally());
  EXPECT_FALSE(summary.score.value);
  EXPECT_EQ(summary.repeats.k, 0);
}

}  // namespace
}  // namespace filecall::client
