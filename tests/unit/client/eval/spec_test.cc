// SPDX-License-Identifier: MIT
#include "client/eval/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/client/eval/subjects.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;

Result<std::string> no_files(const std::string& path) {
  return fail(ErrorCode::kNotFound, path + ": no such file");
}

Result<EvalSpec> read(const std::string& yaml) { return read_eval_spec(yaml, "s.yaml", no_files); }

constexpr const char* kFull = R"yaml(
name: capitals
description: Whether the cities are right.
select:
  command: llm.chat
  ids: ["capital-*"]
  batch: capitals.jsonl
  metadata: {suite: geo}
answer: /text
threshold: 0.7
min_score: 0.8
max_error_rate: 0.05
grade_refusals: true
judges:
  one: {provider: openai, model: gpt-4.1, temperature: 0}
  two: {model: other, max_tokens: 300}
graders:
  - {kind: exact, expected_var: city, ignore_case: true, whitespace: collapse, extract: '"(.*)"'}
  - {kind: contains, name: polite, any: [please, "thank you"], none: [sorry], weight: 0.5}
  - {kind: regex, pattern: "^[A-Z]", full: false, multiline: true}
  - {kind: numeric, expected: 42, relative: 0.01, take: first}
  - {kind: json_schema, schema: {type: object}}
  - {kind: json_equal, pointer: /n, expected_at: /metadata/n}
  - {kind: similarity, metric: token_f1, expected: [a, b], threshold: 0.6}
  - {kind: tool, argv: [python3, check.py, 3], timeout: 5s, verdict: json, expected_var: city}
  - {kind: judge, name: j1, criteria: "Is it right?", judges: [two], structured: true}
  - {kind: judge, name: j2, criteria: "How good?", scale: {min: 0, max: 10}, expected_var: city}
)yaml";

TEST(EvalSpec, ReadsEverything) {
  const auto spec = read(kFull);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->name, "capitals");
  EXPECT_EQ(spec->selection.batch, "capitals.jsonl");
  EXPECT_EQ(spec->selection.metadata, Json({{"suite", "geo"}}));
  EXPECT_EQ(spec->threshold, 0.7);
  EXPECT_EQ(spec->min_score, 0.8);
  EXPECT_EQ(spec->max_error_rate, 0.05);
  EXPECT_TRUE(spec->grades_refusals);
  EXPECT_FALSE(spec->grades_truncated);
  ASSERT_EQ(spec->graders.size(), 10U);
  EXPECT_EQ(spec->graders[0]->settings().name, "exact");
  EXPECT_EQ(spec->graders[0]->settings().at, "/text");
  EXPECT_EQ(spec->graders[1]->settings().weight, 0.5);
  EXPECT_EQ(spec->graders[6]->settings().threshold, 0.6);
  const Subject subject = subject_saying("The city is \"ROME\"", {{"city", "Rome"}});
  EXPECT_EQ(spec->graders[0]->grade(subject, {}).score, 1);
  EXPECT_EQ(spec->graders[8]->questions(subject).size(), 1U);
  EXPECT_EQ(spec->graders[9]->questions(subject).size(), 2U);
  const Json tool = Json::parse(spec->graders[7]->questions(subject)[0].bytes);
  EXPECT_EQ(tool["params"]["argv"], Json::array({"python3", "check.py", "3"}));
  EXPECT_EQ(tool["params"]["timeout_ms"], 5000);
  EXPECT_EQ(spec->prompt_digests.size(), 2U);
}

std::string with_grader(const std::string& grader) {
  return "name: n\njudges: {one: {model: m}}\ngraders:\n  - " + grader + "\n";
}

TEST(EvalSpec, SaysWhereAndWhatIsWrong) {
  const struct {
    std::string yaml;
    const char* says;
  } kCases[] = {
      {"", "name: must be a text"},
      {"name: n", "graders: is missing"},
      {"name: n\ngraders: []", "graders: is empty"},
      {"name: n\ngraders: {}", "must be a list of mappings"},
      {"name: [n", "s.yaml:1"},
      {with_grader("exact"), "s.yaml:4:5: graders[0]: must be a mapping"},
      {with_grader("{kind: exakt}"), "s.yaml:4:12: graders[0].kind: must be one of"},
      {with_grader("{name: x}"), "graders[0].kind: is missing"},
      {with_grader("{kind: exact}"), "give one of: expected"},
      {with_grader("{kind: exact, expected: 1, expected_var: x}"), "give one of: expected"},
      {with_grader("{kind: exact, expected: 1, weigth: 2}"), "unknown key; known here:"},
      {with_grader("{kind: latency, max: 1s, expected_var: city}"), "expected_var: unknown key"},
      {with_grader("{kind: exact, expected: 1, weight: 0}"), "must be above 0"},
      {with_grader("{kind: exact, expected: 1, threshold: 2}"), "from 0 to 1"},
      {with_grader("{kind: exact, expected_at: params}"), "must be a JSON pointer"},
      {with_grader("{kind: exact, expected: 1, answer: text}"), "must be a JSON pointer"},
      {with_grader("{kind: exact, expected: 1, extract: '('}"), "regular expression: missing )"},
      {with_grader("{kind: contains, any: ['']}"), "stands in every text"},
      {with_grader("{kind: contains}"), "give one of: expected"},
      {with_grader("{kind: contains, expected: ''}"), "stands in every text"},
      {with_grader("{kind: contains, expected: [Paris, '']}"), "stands in every text"},
      {with_grader("{kind: contains, expected_var: x, allow_empty: true}"), "unknown key"},
      {with_grader("{kind: exact, expected: }"), "expected: has no value"},
      {with_grader("{kind: exact, expected: [Paris, null]}"), "expected: has no value"},
      {with_grader("{kind: regex, pattern: ''}"), "matches every text"},
      {with_grader("{kind: regex}"), "pattern: is missing"},
      {with_grader("{kind: regex, pattern: '(?=a)'}"), "regular expression: "},
      {with_grader("{kind: similarity, expected: a}"), "metric: is missing"},
      {with_grader("{kind: json_schema}"), "schema: is missing"},
      {with_grader("{kind: json_schema, schema: {type: 7}}"), "graders[0].schema: "},
      {with_grader("{kind: json_schema, schema_file: x.json}"), "x.json: no such file"},
      {with_grader("{kind: tool}"), "graders[0].tool: "},
      {with_grader("{kind: tool, argv: []}"), "graders[0].argv: "},
      {"name: n\ngraders: [{kind: exact, expected: 1}, {kind: exact, expected: 2}]",
       "two graders are called 'exact'"},
      {"name: n\nselect: {metadata: x}\ngraders: [{kind: exact, expected: 1}]",
       "must be a mapping: each member"},
      {"name: n\nmin_scor: 1\ngraders: [{kind: exact, expected: 1}]", "s.yaml:2:1: min_scor"},
  };
  for (const auto& row : kCases) {
    const auto spec = read(row.yaml);
    ASSERT_FALSE(spec) << row.yaml;
    EXPECT_EQ(spec.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(spec.error().message, HasSubstr(row.says)) << row.yaml;
    EXPECT_THAT(spec.error().message, HasSubstr("s.yaml:")) << row.yaml;
  }
}

TEST(EvalSpec, SaysWhatIsWrongWithAJudge) {
  const struct {
    std::string yaml;
    const char* says;
  } kCases[] = {
      {with_grader("{kind: judge}"), "criteria: is missing"},
      {with_grader("{kind: judge, labels: [a]}"), "give two labels or more"},
      {with_grader("{kind: judge, criteria: c, labels: [a, a]}"), "'a' stands there twice"},
      {with_grader("{kind: judge, criteria: c, labels: {a: 2, b: 0}}"), "a number from 0 to 1"},
      {with_grader("{kind: judge, criteria: c, labels: {a: 1, b: 1}}"), "the same score"},
      {with_grader("{kind: judge, criteria: c, labels: ['a|b', c]}"), "a label has 1 to"},
      {with_grader("{kind: judge, criteria: c, labels: [a, b], scale: {}}"), "excludes scale"},
      {with_grader("{kind: judge, criteria: c, scale: {}, combine: majority}"),
       "by mean or median"},
      {with_grader("{kind: judge, template: 'Good?'}"), "has no place {{answer}}"},
      {with_grader("{kind: judge, template: '{{answer'}"), "is not closed"},
      {with_grader("{kind: judge, template: '{{answer}} {{expected}}'}"), "give expected"},
      {with_grader("{kind: judge, template: '{{answer}}', expected: x}"), "no place {{expected}}"},
      {with_grader("{kind: judge, template: '{{answer}}', criteria: x}"), "no place {{criteria}}"},
      {with_grader("{kind: judge, template: '{{answer}} {{criteria}}'}"), "criteria is not given"},
      {with_grader("{kind: judge, template_file: t.txt}"), "t.txt: no such file"},
      {with_grader("{kind: judge, criteria: c, judges: {x: {modl: m}}}"), "graders[0].judges.x"},
      {with_grader("{kind: judge, criteria: c, judges: [two]}"), "'two' does not stand under"},
      {with_grader("{kind: judge, criteria: c, scale: {min: 3, max: 3}}"), "must be above min"},
      {with_grader("{kind: judge, criteria: c, prompt_digest: 'sha256:0'}"), "another one now"},
      {"name: n\ngraders: [{kind: judge, criteria: c}]", "there is no judge"},
      {"name: n\njudges: {a: {modl: m}}\ngraders: [{kind: judge, criteria: c}]", "s.yaml:2:13"},
      {"name: n\njudges: {a: {messages: []}}\ngraders: [{kind: judge, criteria: c}]",
       "is written by the evaluation"},
  };
  for (const auto& row : kCases) {
    const auto spec = read(row.yaml);
    ASSERT_FALSE(spec) << row.yaml;
    EXPECT_THAT(spec.error().message, HasSubstr(row.says)) << row.yaml;
    EXPECT_THAT(spec.error().message, HasSubstr("s.yaml:")) << row.yaml;
  }
}

TEST(EvalSpec, AllowsAnEmptyExpectedTextWhereItIsWritten) {
  for (const char* grader : {
           "{kind: exact, expected: ''}",
           "{kind: exact, expected_var: x, allow_empty: true}",
           "{kind: similarity, metric: edit, expected_at: /params/x, allow_empty: true}",
           "{kind: json_equal, expected_var: x, allow_empty: true}",
           "{kind: json_equal, expected: null}",
           "{kind: tool, argv: [check], expected_var: x, allow_empty: true}",
           "{kind: judge, criteria: c, expected_var: x, allow_empty: true}",
           "{kind: regex, pattern: '', full: true}",
       }) {
    const auto spec = read(with_grader(grader));
    EXPECT_TRUE(spec) << grader << (spec ? "" : spec.error().message);
  }
}

TEST(EvalSpec, ReadsFilesThatItNamesAndDigestsThem) {
  std::string content = "Is it right?";
  const auto files = [&content](const std::string&) -> Result<std::string> { return content; };
  const std::string yaml =
      "name: n\njudges: {a: {model: m}}\ngraders: [{kind: judge, criteria_file: c.txt}]";
  const auto spec = read_eval_spec(yaml, "s.yaml", files);
  ASSERT_TRUE(spec) << spec.error().message;
  content = "Is it wrong?";
  const auto changed = read_eval_spec(yaml, "s.yaml", files);
  EXPECT_NE(spec->digest, changed->digest);
  content = R"({"type": "array"})";
  const auto schema =
      read_eval_spec("name: n\ngraders: [{kind: json_schema, schema_file: s}]", "s", files);
  ASSERT_TRUE(schema) << schema.error().message;
  EXPECT_EQ(schema->graders[0]->grade(subject_saying("[]"), {}).score, 1);
}

TEST(EvalSpec, HasADigestOfWhatGradesDependOnAlone) {
  const std::string graders = "graders: [{kind: exact, expected: 1}]\n";
  const auto digest = [](const std::string& yaml) {
    const auto spec = read(yaml);
    EXPECT_TRUE(spec) << spec.error().message;
    return spec->digest;
  };
  const std::string plain = digest("name: n\n" + graders);
  EXPECT_EQ(digest(graders + "name: m\nmin_score: 0.5\nmax_error_rate: 0\ndescription: d\n"
                             "select: {command: '*'}\n"),
            plain);
  EXPECT_NE(digest("name: n\ngraders: [{kind: exact, expected: 2}]\n"), plain);
  EXPECT_NE(digest("name: n\nthreshold: 0.5\n" + graders), plain);
  EXPECT_NE(digest("name: n\ngrade_refusals: true\n" + graders), plain);
}

TEST(EvalSpec, KnowsTheColumnsThatTemplatesName) {
  const auto spec = read(with_grader(
      "{kind: judge, template: '{{prompt}} {{answer}} {{vars.answer}} {{city}} {{expected}}', "
      "expected_var: right, labels: {bad: 0, good: 1, soso: 0.4}, combine: mean, "
      "judges: {own: {model: x, temperature: 0}}}"));
  ASSERT_TRUE(spec) << spec.error().message;
  ASSERT_EQ(spec->columns.size(), 3U);
  EXPECT_EQ(spec->columns[0].where + " " + spec->columns[0].column,
            "grader 'judge': expected_var right");
  EXPECT_EQ(spec->columns[1].where + " " + spec->columns[1].column,
            "grader 'judge': template answer");
  EXPECT_EQ(spec->columns[2].where + " " + spec->columns[2].column,
            "grader 'judge': template city");
  const Subject subject = subject_saying("42", {{"right", 1}, {"answer", 2}, {"city", 3}});
  const auto questions = spec->graders[0]->questions(subject);
  ASSERT_EQ(questions.size(), 1U);
  const Json params = Json::parse(questions[0].bytes)["params"];
  EXPECT_EQ(params["model"], "x");
  const std::string text = params["messages"][1]["content"];
  EXPECT_THAT(text, HasSubstr(R"("good", "soso" or "bad")"));
}

TEST(EvalSpec, AcceptsThePinnedPromptOfAJudge) {
  const std::string yaml = with_grader("{kind: judge, criteria: c}");
  const std::string listed = read(yaml)->prompt_digests.at(0);
  const std::string digest = listed.substr(listed.find("sha256:"));
  EXPECT_TRUE(read(with_grader("{kind: judge, criteria: c, prompt_digest: '" + digest + "'}")));
}

}  // namespace
}  // namespace filecall::client
