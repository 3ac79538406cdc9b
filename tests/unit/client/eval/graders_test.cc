// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/eval/json_graders.h"
#include "client/eval/judge_grader.h"
#include "client/eval/text_graders.h"
#include "client/eval/tool_grader.h"
#include "tests/unit/client/eval/subjects.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;

GraderSettings settings(double threshold = 1) {
  return {.name = "n", .kind = "k", .threshold = threshold, .at = ""};
}

std::optional<double> score(const Grader& grader, const Subject& subject) {
  return grader.grade(subject, {}).score;
}

Pattern pattern_of(const std::string& text) { return *Pattern::compile(text, {}); }

TEST(ExactGrader, ComparesInItsForm) {
  const struct {
    const char* text;
    Json expected;
    TextForm form;
    double wanted;
  } kCases[] = {
      {"Paris\n", "Paris", {}, 1},
      {"Paris\n", "Paris", {.trim = false}, 0},
      {"paris", "Paris", {}, 0},
      {"PARIS", "Paris", {.ignore_case = true}, 1},
      {"a  b", "a b", {.one_space = true}, 1},
      {"42", 42, {}, 1},
      {"true", true, {}, 1},
      {"B", Json::array({"A", "B"}), {}, 1},
      {"C", Json::array({"A", "B"}), {}, 0},
      {"", "", {}, 1},
  };
  for (const auto& row : kCases) {
    const auto grader = make_exact_grader(settings(), {.form = row.form}, literal(row.expected));
    EXPECT_EQ(score(*grader, subject_saying(row.text)), row.wanted) << row.text;
  }
}

TEST(ExactGrader, TakesTheExpectedValueFromRowRequestOrSpecification) {
  const auto by_row = make_exact_grader(settings(), {}, variable("city"));
  EXPECT_EQ(score(*by_row, subject_saying("Rome", {{"city", "Rome"}})), 1);
  const Grade lost = by_row->grade(subject_saying("Rome", {{"city", nullptr}}), {});
  EXPECT_EQ(lost.score, std::nullopt);
  EXPECT_EQ(lost.passed, std::nullopt);
  EXPECT_THAT(lost.reason, HasSubstr("has no 'city'"));
  const auto by_request = make_exact_grader(
      settings(), {}, {.source = Expectation::Source::kRequest, .where = "/params/prompt"});
  EXPECT_EQ(score(*by_request, subject_saying("What is it?")), 1);
  const auto nowhere = make_exact_grader(
      settings(), {}, {.source = Expectation::Source::kRequest, .where = "/params/no"});
  EXPECT_EQ(score(*nowhere, subject_saying("x")), std::nullopt);
  EXPECT_EQ(score(*make_exact_grader(settings(), {}, literal(Json::array())), subject_saying("")),
            std::nullopt);
}

TEST(ExactGrader, ComparesWhatWasExtracted) {
  TextTarget target{.extract = pattern_of("Answer: (\\w+)")};
  const auto last = make_exact_grader(settings(), target, literal("B"));
  EXPECT_EQ(score(*last, subject_saying("Answer: A. No, Answer: B")), 1);
  EXPECT_EQ(score(*last, subject_saying("B")), 0);
  target.takes_last = false;
  const auto first = make_exact_grader(settings(), target, literal("B"));
  EXPECT_EQ(score(*first, subject_saying("Answer: A. No, Answer: B")), 0);
}

TEST(TextGraders, ScoreAnAnswerThatLacksTheirPartZero) {
  GraderSettings at = settings();
  at.at = "/parsed/city";
  const auto grader = make_exact_grader(at, {}, literal("Paris"));
  const Grade grade = grader->grade(subject_saying("Paris"), {});
  EXPECT_EQ(grade.score, 0);
  EXPECT_THAT(grade.reason, HasSubstr("/parsed/city"));
}

TEST(ContainsGrader, WantsOneAllOrNone) {
  const struct {
    const char* text;
    ContainsRule rule;
    double wanted;
  } kCases[] = {
      {"The Seine in Paris", {.any = {"Rome", "Paris"}}, 1},
      {"Berlin", {.any = {"Rome", "Paris"}}, 0},
      {"The Seine in Paris", {.all = {"Seine", "Paris"}}, 1},
      {"Paris", {.all = {"Seine", "Paris"}}, 0},
      {"Paris", {.none = {"sorry"}}, 1},
      {"sorry, Paris", {.all = {"Paris"}, .none = {"sorry"}}, 0},
      {"Paris", {.expected = literal("Paris")}, 1},
      {"Rom", {.expected = literal(Json::array({"Roma", "Rome"}))}, 0},
      {"know", {.any = {" no"}}, 0},
      {"say no", {.any = {" no"}}, 1},
  };
  for (const auto& row : kCases) {
    const auto grader = make_contains_grader(settings(), {}, row.rule);
    EXPECT_EQ(score(*grader, subject_saying(row.text)), row.wanted) << row.text;
  }
  const auto folded =
      make_contains_grader(settings(), {.form = {.ignore_case = true}}, {.any = {"PARIS"}});
  EXPECT_EQ(score(*folded, subject_saying("in paris")), 1);
  const auto missing = make_contains_grader(settings(), {}, {.expected = variable("no")});
  EXPECT_EQ(score(*missing, subject_saying("x")), std::nullopt);
}

TEST(RegexGrader, FindsMatchesOrForbids) {
  const auto make = [](const char* text, bool full, bool forbidden) {
    return make_regex_grader(settings(), {}, {pattern_of(text), full, forbidden});
  };
  EXPECT_EQ(score(*make("\\d+", false, false), subject_saying("a 1")), 1);
  EXPECT_EQ(score(*make("\\d+", true, false), subject_saying("a 1")), 0);
  EXPECT_EQ(score(*make("\\d+", true, false), subject_saying(" 1\n")), 1);
  EXPECT_EQ(score(*make("\\d+", false, true), subject_saying("a 1")), 0);
  EXPECT_EQ(score(*make("(a+)+$b", false, false), subject_saying(std::string(1'000'000, 'a'))), 0);
}

TEST(NumericGrader, TakesOneNumberWithinItsTolerance) {
  const struct {
    const char* text;
    NumericRule rule;
    std::optional<double> wanted;
  } kCases[] = {
      {"so 3 + 4 = 7.", {.expected = literal(7)}, 1},
      {"so 3 + 4 = 7.", {.expected = literal(3), .takes_last = false}, 1},
      {"7.1", {.expected = literal(7)}, 0},
      {"7.1", {.expected = literal(7), .absolute = 0.2}, 1},
      {"101", {.expected = literal(100), .relative = 0.01}, 1},
      {"102", {.expected = literal(-100), .relative = 0.01}, 0},
      {"$1,200", {.expected = literal("1200")}, 1},
      {"72", {.expected = literal("2 * 36\n#### 72")}, 1},
      {"0.30000000000000004", {.expected = literal(0.3)}, 1},
      {"none", {.expected = literal(7)}, 0},
      {"7", {.expected = literal("seven")}, std::nullopt},
      {"7", {.expected = variable("no")}, std::nullopt},
  };
  for (const auto& row : kCases) {
    const auto grader = make_numeric_grader(settings(), {}, row.rule);
    EXPECT_EQ(score(*grader, subject_saying(row.text)), row.wanted) << row.text;
  }
}

TEST(SimilarityGrader, TakesTheNearestAndPassesFromItsThreshold) {
  const auto edit = make_similarity_grader(settings(0.8), {}, SimilarityMetric::kEdit,
                                           literal(Json::array({"kitten", "something"})));
  const Grade near = edit->grade(subject_saying("kittens"), {});
  EXPECT_NEAR(*near.score, 6.0 / 7.0, 1e-12);
  EXPECT_EQ(near.passed, true);
  EXPECT_EQ(edit->grade(subject_saying("dog"), {}).passed, false);
  const auto f1 =
      make_similarity_grader(settings(0.5), {}, SimilarityMetric::kTokenF1, literal("the cat"));
  EXPECT_NEAR(*score(*f1, subject_saying("Cat!")), 2.0 / 3.0, 1e-12);
  EXPECT_EQ(score(*edit, subject_saying(std::string(200'000, 'x'))), std::nullopt);
}

TEST(JsonSchemaGrader, HoldsTheAnswerAgainstTheSchema) {
  auto schema = SchemaValidator::compile(std::string_view(
      R"({"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}})"));
  ASSERT_TRUE(schema);
  const auto grader = make_json_schema_grader(settings(), std::move(*schema));
  EXPECT_EQ(score(*grader, subject_saying("```json\n{\"n\": 3}\n```")), 1);
  const Grade wrong = grader->grade(subject_saying("{\"n\": \"3\"}"), {});
  EXPECT_EQ(wrong.score, 0);
  EXPECT_THAT(wrong.reason, HasSubstr("/n"));
  EXPECT_EQ(score(*grader, subject_saying("no JSON")), 0);
  EXPECT_EQ(score(*grader, subject_saying(std::string(500'000, '{'))), 0);
}

TEST(JsonEqualGrader, ComparesByValueAtAPointer) {
  const auto make = [](const char* pointer, Json expected) {
    return make_json_equal_grader(settings(), pointer, literal(std::move(expected)));
  };
  const Subject subject = subject_saying(R"({"a": {"n": 1, "l": [1, 2]}, "z": null})");
  EXPECT_EQ(score(*make("/a/n", 1.0), subject), 1);
  EXPECT_EQ(score(*make("/a", Json::parse(R"({"l":[1,2],"n":1})")), subject), 1);
  EXPECT_EQ(score(*make("/a/l/1", "2"), subject), 0);
  EXPECT_EQ(score(*make("/z", nullptr), subject), 1);
  EXPECT_EQ(score(*make("/b", 1), subject), 0);
  EXPECT_EQ(score(*make("/a", 1), subject_saying("text")), 0);
}

std::unique_ptr<Grader> program_grader(bool prints_json, Expectation expected = {}) {
  return make_tool_grader(settings(0.5), {.params = {{"argv", {"check"}}},
                                          .expected = std::move(expected),
                                          .prints_json = prints_json});
}

TEST(ToolGrader, PutsTheAnswerOnStandardInputAndNowhereElse) {
  const auto grader = program_grader(false, variable("want"));
  const Subject subject = subject_saying("--help; rm -rf /", {{"want", 3}});
  const auto questions = grader->questions(subject);
  ASSERT_EQ(questions.size(), 1U);
  const Json request = Json::parse(questions[0].bytes);
  EXPECT_EQ(request["command"], "tool.run");
  EXPECT_EQ(request["params"]["argv"], Json::array({"check"}));
  const Json input = Json::parse(request["params"]["stdin"].get<std::string>());
  EXPECT_EQ(input["answer"], "--help; rm -rf /");
  EXPECT_EQ(input["expected"], 3);
  EXPECT_EQ(input["vars"]["want"], 3);
  EXPECT_EQ(request["request_id"], questions[0].request_id);
  EXPECT_THAT(questions[0].request_id, testing::StartsWith(std::string(kQuestionPrefix)));
}

TEST(ToolGrader, ReadsExitCodesOrJson) {
  const struct {
    bool prints_json;
    Json data;
    std::optional<double> wanted;
  } kCases[] = {
      {false, {{"exit_code", 0}, {"stdout", "fine\n"}}, 1},
      {false, {{"exit_code", 1}, {"stdout", ""}}, 0},
      {false, {{"exit_code", 2}}, std::nullopt},
      {false, {{"exit_code", nullptr}, {"signal", "SIGSEGV"}}, std::nullopt},
      {false, {{"exit_code", -1}}, std::nullopt},
      {false, "odd", std::nullopt},
      {true, {{"exit_code", 0}, {"stdout", "{\"score\": 0.25, \"reason\": \"so\"}\n"}}, 0.25},
      {true, {{"exit_code", 1}, {"stdout", "{\"score\": 1}"}}, std::nullopt},
      {true, {{"exit_code", 0}, {"stdout", "{\"score\": 2}"}}, std::nullopt},
      {true, {{"exit_code", 0}, {"stdout", "{\"score\": \"1\"}"}}, std::nullopt},
      {true, {{"exit_code", 0}, {"stdout", "1"}}, std::nullopt},
      {true, {{"exit_code", 0}}, std::nullopt},
  };
  for (const auto& row : kCases) {
    const Reply replies[] = {reply_of(row.data)};
    const Grade grade = program_grader(row.prints_json)->grade(subject_saying("x"), replies);
    EXPECT_EQ(grade.score, row.wanted) << row.data;
    EXPECT_EQ(grade.score.has_value(), grade.passed.has_value());
  }
  const Reply given_up[] = {{.problem = "not allowed"}};
  EXPECT_THAT(program_grader(false)->grade(subject_saying("x"), given_up).reason,
              HasSubstr("not allowed"));
  EXPECT_EQ(program_grader(false)->grade(subject_saying("x"), {}).score, std::nullopt);
}

/// Every kind of grader that takes an expected value.
std::vector<std::pair<std::string, std::unique_ptr<Grader>>> all_that_expect(
    const Expectation& wanted) {
  std::vector<std::pair<std::string, std::unique_ptr<Grader>>> all;
  TextTarget extracting{.extract = pattern_of("Answer: (\\w+)")};
  all.emplace_back("exact", make_exact_grader(settings(), {}, wanted));
  all.emplace_back("exact, extract", make_exact_grader(settings(), extracting, wanted));
  all.emplace_back("contains", make_contains_grader(settings(), {}, {.expected = wanted}));
  all.emplace_back("contains, any",
                   make_contains_grader(settings(), {}, {.any = {"A"}, .expected = wanted}));
  all.emplace_back("numeric", make_numeric_grader(settings(), {}, {.expected = wanted}));
  all.emplace_back("edit", make_similarity_grader(settings(), {}, SimilarityMetric::kEdit, wanted));
  all.emplace_back("token_f1",
                   make_similarity_grader(settings(), {}, SimilarityMetric::kTokenF1, wanted));
  all.emplace_back("json_equal", make_json_equal_grader(settings(), "", wanted));
  all.emplace_back("tool", program_grader(false, wanted));
  JudgeRule rule{
      .judges = {{"one", {{"model", "j"}}}}, .text = {.criteria = "good"}, .reference = wanted};
  all.emplace_back("judge", make_judge_grader(settings(), std::move(rule)));
  return all;
}

TEST(GradersThatExpect, LeaveUngradedWhereNothingIsExpected) {
  const Expectation by_request{.source = Expectation::Source::kRequest,
                               .where = "/metadata/vars/city"};
  const Json kRows[] = {
      Json::object(),   {{"city", nullptr}},  {{"city", ""}},
      {{"city", "  "}}, {{"city", "\t\r\n"}}, {{"city", "\u00a0\u3000"}},
  };
  for (const Expectation& wanted : {variable("city"), by_request}) {
    for (const auto& [kind, grader] : all_that_expect(wanted)) {
      for (const Json& row : kRows) {
        for (const char* text : {"Atlantis.", "", "7"}) {
          const Subject subject = subject_saying(text, row);
          EXPECT_TRUE(grader->questions(subject).empty()) << kind << row;
          const Grade grade = grader->grade(subject, {});
          EXPECT_EQ(grade.score, std::nullopt) << kind << row << text;
          EXPECT_EQ(grade.passed, std::nullopt) << kind << row << text;
          EXPECT_THAT(grade.reason, HasSubstr("city")) << kind << row;
        }
      }
    }
  }
}

TEST(GradersThatExpect, TakeAnEmptyTextWhereTheSpecificationAllowsIt) {
  Expectation wanted = variable("city");
  wanted.may_be_empty = true;
  const auto exact = make_exact_grader(settings(), {}, wanted);
  EXPECT_EQ(score(*exact, subject_saying(" ", {{"city", ""}})), 1);
  EXPECT_EQ(score(*exact, subject_saying("Rome", {{"city", ""}})), 0);
  EXPECT_EQ(score(*exact, subject_saying("Rome", {{"city", nullptr}})), std::nullopt);
  EXPECT_FALSE(
      program_grader(false, wanted)->questions(subject_saying("", {{"city", ""}})).empty());
}

TEST(GradersThatExpect, LeaveUngradedWhereOneOfAListIsMissing) {
  const std::vector<std::string> kTextKinds = {"exact", "contains", "edit", "token_f1"};
  for (const Json& gap : {Json(""), Json(" "), Json()}) {
    const Subject subject = subject_saying("Atlantis.", {{"city", {"Paris", gap}}});
    for (const auto& [kind, grader] : all_that_expect(variable("city"))) {
      if (std::find(kTextKinds.begin(), kTextKinds.end(), kind) == kTextKinds.end()) continue;
      EXPECT_EQ(score(*grader, subject), std::nullopt) << kind << gap;
    }
  }
}

Grade weighted(double score, double weight, bool passed) {
  return {.name = "", .kind = "", .score = score, .passed = passed, .weight = weight, .reason = ""};
}

TEST(Conclusion, IsTheWeightedMeanOrNoScoreAtAll) {
  Evaluation evaluation;
  evaluation.grades = {weighted(1, 3, true), weighted(0, 1, false)};
  conclude(evaluation, std::nullopt);
  EXPECT_EQ(evaluation.outcome, EvaluationOutcome::kGraded);
  EXPECT_EQ(evaluation.score, 0.75);
  EXPECT_EQ(evaluation.passed, false);
  conclude(evaluation, 0.7);
  EXPECT_EQ(evaluation.passed, true);
  evaluation.grades[1].score.reset();
  evaluation.grades[1].passed.reset();
  conclude(evaluation, 0.7);
  EXPECT_EQ(evaluation.outcome, EvaluationOutcome::kUngraded);
  EXPECT_EQ(evaluation.score, std::nullopt);
  EXPECT_EQ(evaluation.passed, std::nullopt);
}

}  // namespace
}  // namespace filecall::client
