// SPDX-License-Identifier: MIT
#include "client/eval/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ipc/schema_catalog.h"
#include "ipc/schema_validator.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;

Evaluation graded() {
  Evaluation evaluation;
  evaluation.spec_digest = "sha256:" + std::string(64, 'a');
  evaluation.response_digest = "sha256:" + std::string(64, 'b');
  evaluation.evaluated_at = *parse_rfc3339("2026-11-21T10:00:00.250Z");
  evaluation.item = "row-7";
  evaluation.prompt = "short";
  evaluation.provider = "local";
  evaluation.model = "m1";
  evaluation.repeat = 3;
  evaluation.outcome = EvaluationOutcome::kGraded;
  evaluation.score = 0.75;
  evaluation.passed = true;
  evaluation.grades = {{"is right", "exact", 1.0, true, 3, "equal", Json()},
                       {"is kind", "judge", 0.0, false, 1, "2 of 3", Json{{"votes", {1, 0, 0}}}}};
  return evaluation;
}

Evaluation ungraded(EvaluationOutcome outcome) {
  Evaluation evaluation = graded();
  evaluation.outcome = outcome;
  evaluation.score.reset();
  evaluation.passed.reset();
  evaluation.grades[1].score.reset();
  evaluation.grades[1].passed.reset();
  return evaluation;
}

std::string with_member(const char* pointer, Json value) {
  EvaluationRecord record{"r1", {{"quality", graded()}}};
  Json root = Json::parse(render_evaluation_record(record));
  root[Json::json_pointer(pointer)] = std::move(value);
  return root.dump();
}

TEST(EvaluationRecord, SurvivesARoundTrip) {
  EvaluationRecord record{"r1", {{"quality", graded()}}};
  record.evaluations["other/~\"name\""] = ungraded(EvaluationOutcome::kTruncated);
  const std::string text = render_evaluation_record(record);
  const auto again = parse_evaluation_record(text, "r1");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(render_evaluation_record(*again), text);
  const Evaluation& evaluation = again->evaluations.at("quality");
  EXPECT_EQ(evaluation.repeat, 3);
  EXPECT_EQ(evaluation.score, 0.75);
  EXPECT_EQ(evaluation.passed, true);
  EXPECT_EQ(evaluation.model, "m1");
  EXPECT_EQ(evaluation.evaluated_at, graded().evaluated_at);
  ASSERT_EQ(evaluation.grades.size(), 2U);
  EXPECT_EQ(evaluation.grades[0].weight, 3);
  EXPECT_EQ(evaluation.grades[1].details["votes"].size(), 3U);
}

TEST(EvaluationRecord, FitsItsSchemaWhateverTheOutcome) {
  const auto schema = SchemaValidator::compile(*find_schema("evaluation"));
  ASSERT_TRUE(schema) << schema.error().message;
  for (int i = 0; i < kEvaluationOutcomeCount; ++i) {
    const auto outcome = static_cast<EvaluationOutcome>(i);
    const Evaluation evaluation =
        outcome == EvaluationOutcome::kGraded ? graded() : ungraded(outcome);
    const std::string text = render_evaluation_record({"r1", {{"quality", evaluation}}});
    const auto violation = schema->check(Json::parse(text));
    EXPECT_FALSE(violation) << text << violation->pointer << violation->rule;
    EXPECT_TRUE(parse_evaluation_record(text, "r1"));
    EXPECT_EQ(parse_evaluation_outcome(to_string(outcome)), outcome);
  }
  EXPECT_EQ(parse_evaluation_outcome("zero"), std::nullopt);
}

TEST(EvaluationRecord, NeverTakesAScoreForWhatWasNotGraded) {
  const struct {
    const char* pointer;
    Json value;
    const char* says;
  } kCases[] = {
      {"/evaluations/quality/outcome", "error", "/evaluations/quality/score"},
      {"/evaluations/quality/outcome", "perfect", "/outcome: must be one of"},
      {"/evaluations/quality/score", nullptr, "exactly when outcome is graded"},
      {"/evaluations/quality/score", 1.5, "from 0 to 1"},
      {"/evaluations/quality/score", "1", "from 0 to 1"},
      {"/evaluations/quality/passed", nullptr, "/passed"},
      {"/evaluations/quality/repeat", 0, "/repeat"},
      {"/evaluations/quality/evaluated_at", "yesterday", "RFC 3339"},
      {"/evaluations/quality/grades", Json::object(), "/grades: must be an array"},
      {"/evaluations/quality/grades/1/score", nullptr, "/grades/1/passed"},
      {"/evaluations/quality/grades/0/weight", -1, "/grades/0/weight"},
      {"/evaluations/quality/grades/0/name", 3, "/grades/0/name: must be a string"},
      {"/evaluations/quality", 3, "/evaluations/quality: must be an object"},
      {"/evaluations", Json::array(), "/evaluations: must be an object"},
      {"/request_id", "r2", "another request's"},
  };
  for (const auto& row : kCases) {
    const auto record = parse_evaluation_record(with_member(row.pointer, row.value), "r1");
    ASSERT_FALSE(record) << row.pointer;
    EXPECT_EQ(record.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(record.error().message, HasSubstr(row.says));
  }
}

TEST(EvaluationRecord, OfTornBytesIsAFailureThatNamesTheRequest) {
  const std::string text = render_evaluation_record({"r1", {{"quality", graded()}}});
  for (std::size_t size = 0; size + 2 < text.size(); size += 7) {
    const auto record = parse_evaluation_record(text.substr(0, size), "r1");
    ASSERT_FALSE(record) << size;
    EXPECT_THAT(record.error().message, HasSubstr("evaluation of r1"));
  }
}

TEST(EvaluationRecord, OfALineNamesItsRequestItself) {
  const std::string text = render_evaluation_record({"r1", {{"quality", graded()}}});
  const auto record = parse_evaluation_line(text);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->request_id, "r1");
  for (const char* id : {"", "../r1", ".r1"}) {
    EXPECT_FALSE(parse_evaluation_line(render_evaluation_record({id, {{"quality", graded()}}})))
        << id;
  }
}

}  // namespace
}  // namespace filecall::client
