// SPDX-License-Identifier: MIT
#include "client/eval/grader_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/client/eval/subjects.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

EvalSpec spec_of(const std::string& top) {
  const std::string yaml = "name: n\n" + top + R"yaml(
graders:
  - {kind: exact, name: math, expected: "4", when: {category: math}}
  - {kind: exact, name: other, expected: x, unless: {category: math}}
  - {kind: contains, name: polite, any: [please], when: {category: [math, letter]}}
)yaml";
  auto spec = read_eval_spec(yaml, "s.yaml", [](const std::string&) -> Result<std::string> {
    return fail(ErrorCode::kNotFound, "no files");
  });
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  return std::move(*spec);
}

GraderChoice choose(const EvalSpec& spec, Json row) {
  return choose_graders(spec, {{"vars", std::move(row)}});
}

TEST(GraderChoice, TakesThoseWhoseConditionsHold) {
  const EvalSpec spec = spec_of("");
  EXPECT_THAT(choose(spec, {{"category", "math"}}).graders, ElementsAre(0, 2));
  EXPECT_THAT(choose(spec, {{"category", "letter"}}).graders, ElementsAre(1, 2));
  EXPECT_THAT(choose(spec, {{"category", "poem"}}).graders, ElementsAre(1));
  EXPECT_THAT(choose(spec, Json::object()).graders, ElementsAre(1));
}

TEST(GraderChoice, TakesWhatTheRowNamesWhereItsConditionHolds) {
  const EvalSpec spec = spec_of("graders_var: by");
  const auto by = [&](Json names, const char* category = "math") {
    return choose(spec, {{"by", std::move(names)}, {"category", category}});
  };
  EXPECT_THAT(by("math").graders, ElementsAre(0));
  EXPECT_THAT(by(" polite , math,math, ").graders, ElementsAre(0, 2));
  EXPECT_THAT(by({"polite", "math"}).graders, ElementsAre(0, 2));
  EXPECT_THAT(by({"polite", "math"}, "letter").graders, ElementsAre(2));
  EXPECT_THAT(by("math", "letter").problem, HasSubstr("no grader is for this row"));
}

TEST(GraderChoice, SaysWhyARowHasNoGrader) {
  const EvalSpec spec = spec_of("graders_var: by");
  const struct {
    Json row;
    const char* says;
  } kCases[] = {
      {{{"by", ""}}, "names no grader in 'by'"},
      {{{"by", " , "}}, "names no grader in 'by'"},
      {{{"by", Json::array()}}, "names no grader in 'by'"},
      {{{"category", "math"}}, "names no grader in 'by'"},
      {{{"by", 3}}, "must name graders"},
      {{{"by", nullptr}}, "must name graders"},
      {{{"by", {1}}}, "must name graders"},
      {{{"by", "math, polit"}, {"category", "math"}}, "a grader 'polit' in 'by'"},
  };
  for (const auto& one : kCases) {
    const GraderChoice choice = choose(spec, one.row);
    EXPECT_TRUE(choice.graders.empty()) << dump_json(one.row);
    EXPECT_THAT(choice.problem, HasSubstr(one.says)) << dump_json(one.row);
  }
}

TEST(GraderChoice, AConditionIsNotPartOfWhatAGraderSays) {
  const EvalSpec with = spec_of("");
  const EvalSpec named = spec_of("graders_var: by");
  EXPECT_EQ(with.grader_digests, named.grader_digests);
  EXPECT_NE(with.digest, named.digest) << "which grades a row has is another evaluation";
  EXPECT_EQ(named.columns.size(), 4U);
}

TEST(GraderChoice, ANegatedGraderIsGoodWhereItsJudgementIsBad) {
  const auto spec = read_eval_spec(R"yaml(
name: n
graders:
  - {kind: contains, name: none, any: [sorry], negate: true}
  - {kind: exact, name: missing, expected_var: city, negate: true}
  - {kind: similarity, name: far, metric: edit, expected: abcd, negate: true, threshold: 0.5}
)yaml",
                                   "s.yaml", [](const std::string& path) -> Result<std::string> {
                                     return fail(ErrorCode::kNotFound, path);
                                   });
  ASSERT_TRUE(spec) << spec.error().message;
  const auto grade = [&](std::size_t grader, const char* text) {
    return spec->graders[grader]->grade(subject_saying(text), {});
  };
  EXPECT_EQ(grade(0, "sorry, no").score, 0);
  EXPECT_EQ(grade(0, "Yes").score, 1);
  EXPECT_EQ(grade(0, "Yes").passed, true);
  EXPECT_FALSE(grade(1, "Rome").score.has_value()) << "what cannot be judged is not good";
  EXPECT_EQ(grade(2, "abcx").score, 0.25);
  EXPECT_EQ(grade(2, "abcx").passed, false);
}

}  // namespace
}  // namespace filecall::client
