// SPDX-License-Identifier: MIT
#include "client/report/items/eval_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Evaluation evaluation_of(const std::string& model, const std::string& item,
                         std::optional<double> score,
                         EvaluationOutcome outcome = EvaluationOutcome::kGraded) {
  Evaluation evaluation;
  evaluation.model = model;
  evaluation.item = item;
  evaluation.outcome = outcome;
  evaluation.score = score;
  if (score) evaluation.passed = *score >= 0.5;
  return evaluation;
}

TEST(EvalSummary, CountsOutcomesApartAndScoresOnlyWhatWasGraded) {
  EvalSummary summary;
  summary.add(evaluation_of("m", "a", 1), false);
  summary.add(evaluation_of("m", "b", 0.5), true);
  summary.add(evaluation_of("m", "c", std::nullopt, EvaluationOutcome::kError), true);
  summary.add(evaluation_of("m", "d", std::nullopt, EvaluationOutcome::kRefusal), false);
  summary.add(evaluation_of("m", "e", std::nullopt, EvaluationOutcome::kTruncated), false);
  summary.add(evaluation_of("n", "a", std::nullopt, EvaluationOutcome::kUngraded), false);
  EvalSpec spec;
  spec.name = "quality";
  spec.max_error_rate = 0.3;
  const Json json = summary.as_json(spec, {});
  EXPECT_EQ(json["score"]["value"], 0.75);
  EXPECT_EQ(json["counts"]["total"], 6);
  EXPECT_EQ(json["counts"]["error"], 1);
  EXPECT_EQ(json["reused"], 1);
  EXPECT_EQ(json["valid"], false);  // All of n is ungraded.
  EXPECT_EQ(json["models"].size(), 2U);
  EXPECT_EQ(json["models"][1]["score"]["value"], nullptr);
  EXPECT_THAT(summary.as_text(spec), HasSubstr("0.750"));
  EXPECT_THAT(summary.as_text(spec), HasSubstr("quality: 6 requests ended (3 answered, 1 refused, "
                                               "1 cut, 1 given up), 1 graded before\n"));
}

TEST(EvalSummary, SaysWhyGradesHaveNoScore) {
  EvalSummary summary;
  summary.add(evaluation_of("m", "a", 1), false);
  for (const char* id : {"b", "c"}) {
    Evaluation evaluation = evaluation_of("m", id, std::nullopt, EvaluationOutcome::kUngraded);
    Grade& grade = evaluation.grades.emplace_back();
    grade.name = "city";
    grade.reason = "'city' is empty";
    summary.add(evaluation, false);
  }
  EvalSpec spec;
  spec.name = "quality";
  EXPECT_THAT(summary.as_text(spec), HasSubstr("No score, 2 times: 'city' is empty\n"));
}

TEST(EvalSummary, NamesEveryModelThatMissesTheScore) {
  EvalSummary summary;
  summary.add(evaluation_of("good", "a", 1), false);
  summary.add(evaluation_of("bad", "a", 0.25), false);
  summary.add(evaluation_of("lost", "a", std::nullopt, EvaluationOutcome::kError), false);
  EXPECT_THAT(summary.missed(0.5, std::nullopt),
              ElementsAre("bad: the score 0.2500 is below 0.5",
                          "lost: no answer could be graded, so the score 0.5 is missed"));
  EXPECT_THAT(summary.missed(std::nullopt, 1.0), IsEmpty());
  EXPECT_THAT(summary.missed(std::nullopt, 0.3),
              ElementsAre(HasSubstr("lost: the run is invalid: 100.0% of")));
  EXPECT_THAT(EvalSummary().missed(0.5, 0.0), ElementsAre(HasSubstr("nothing was evaluated")));
}

TEST(EvalSummary, MissesEachThresholdWhileRequestsHaveNotEnded) {
  EvalSummary summary;
  summary.add(evaluation_of("m", "a", 1), false);
  summary.unfinished = 224;
  EXPECT_THAT(summary.missed(std::nullopt, std::nullopt), IsEmpty());
  EXPECT_THAT(summary.missed(0.5, std::nullopt),
              ElementsAre(HasSubstr("224 of 225 requests have not ended")));
  EXPECT_THAT(summary.missed(std::nullopt, 0.05),
              ElementsAre(HasSubstr("224 of 225 requests have not ended")));
  EXPECT_THAT(summary.missed(0.5, 0.05, true), IsEmpty());
}

}  // namespace
}  // namespace filecall::client
