// SPDX-License-Identifier: MIT
#include "client/eval/statistics/score_tally.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

TEST(ScoreTally, LeavesOutWhatHasNoGrade) {
  ScoreTally tally;
  tally.add_graded(1, 1, true);
  tally.add_graded(2, 1, true);
  for (std::uint64_t i = 0; i < 5; ++i) tally.add_without_grade(10 + i, NoGrade::kError, false);
  tally.add_without_grade(20, NoGrade::kRefusal, false);
  tally.add_without_grade(21, NoGrade::kTruncated, false);
  tally.add_without_grade(22, NoGrade::kUngraded, false);
  const ScoreSummary summary = summarize(tally);
  EXPECT_EQ(*summary.score.value, 1);
  EXPECT_EQ(*summary.pass_rate.value, 1);
  EXPECT_EQ(summary.counts.total(), 10);
}

TEST(ScoreTally, CountsAsZeroWhatTheSpecificationSays) {
  ScoreTally tally;
  tally.add_graded(1, 1, true);
  tally.add_without_grade(2, NoGrade::kSchemaInvalid, true);
  tally.add_without_grade(3, NoGrade::kRefusal, false);
  const ScoreSummary summary = summarize(tally);
  EXPECT_EQ(*summary.score.value, 0.5);
  EXPECT_EQ(*summary.pass_rate.value, 0.5);
  EXPECT_EQ(summary.counts.schema_invalid, 1);
  EXPECT_EQ(summary.counts.scored(), 2);
  EXPECT_TRUE(summary.counts.is_zero[static_cast<std::size_t>(NoGrade::kSchemaInvalid)]);
}

TEST(ScoreTally, EstimatesRepeatsForTheKThatWasChosen) {
  ScoreTally tally;
  for (int repeat = 0; repeat < 4; ++repeat) tally.add_graded(1, repeat == 0, repeat == 0);
  EXPECT_NEAR(*summarize(tally, 2).repeats.pass_at_k.value, 0.5, 1e-12);
  EXPECT_NEAR(*summarize(tally, 1).repeats.pass_at_k.value, 0.25, 1e-12);
  EXPECT_FALSE(summarize(tally, 5).repeats.pass_at_k.value);
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
