// SPDX-License-Identifier: MIT
#include "client/promptfoo/foreign_assertion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/eval/spec.h"
#include "client/promptfoo/grader_slots.h"
#include "yaml/yaml_document.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class NoImportFiles final : public ImportFiles {
 public:
  Result<std::string> read(const std::string& path) override {
    if (path == "schema.json") return std::string(R"({"type": "object"})");
    if (path == "text.txt") return std::string("from {{who}}\n");
    return fail(ErrorCode::kNotFound, path + ": no such file");
  }
  Result<std::vector<ForeignRow>> read_table(const std::string& path) override {
    return fail(ErrorCode::kNotFound, path);
  }
  Result<std::vector<std::string>> list(const std::string& pattern) override {
    return std::vector{pattern};
  }
};

Result<TakenAssertion> take(const std::string& yaml, const Json& variables = Json::object()) {
  NoImportFiles files;
  const auto node = ConfigNode::parse(yaml, "a.yaml");
  EXPECT_TRUE(node);
  return take_assertion(*node, variables, files);
}

TEST(ForeignAssertion, EveryTakenOneIsAGraderThatIsRight) {
  const char* kCases[] = {
      "{type: equals, value: x}",
      "{type: equals, value: ''}",
      "{type: equals, value: 7}",
      "{type: equals, value: {a: [1]}}",
      "{type: not-equals, value: x}",
      "{type: contains, value: x}",
      "{type: contains, value: 0}",
      "{type: icontains, value: x, weight: 2.5}",
      "{type: contains-any, value: [a, 'b, c']}",
      "{type: not-icontains-any, value: 'a, b'}",
      "{type: contains-all, value: [a, b]}",
      "{type: icontains-all, value: 'a,b'}",
      "{type: starts-with, value: 'a.(b'}",
      "{type: not-starts-with, value: é}",
      "{type: regex, value: '^\\d+$'}",
      "{type: not-regex, value: x}",
      "{type: is-json}",
      "{type: not-is-json}",
      "{type: is-json, value: {type: object, required: [a]}}",
      "{type: is-json, value: 'file://schema.json'}",
      "{type: is-json, value: '{\"type\": \"array\"}'}",
      "{type: llm-rubric, value: is kind, threshold: 0.7}",
      "{type: not-llm-rubric, value: 'is about {{who}}'}",
      "{type: contains, value: 'file://text.txt', metric: source}",
      "{type: latency, threshold: 5000}",
      "{type: not-latency, threshold: 1.5}",
      "{type: cost, threshold: 0.001, weight: 2}",
      "{type: not-cost, threshold: 1e-7}",
  };
  for (const char* yaml : kCases) {
    auto taken = take(yaml, {{"who", "Ada"}});
    ASSERT_TRUE(taken) << yaml << ": " << taken.error().message;
    GraderSlots slots;
    GraderSlots::Row row;
    slots.add(*std::move(taken), row);
    slots.finish({});
    const Json spec = {
        {"name", "n"}, {"judges", {{"j", {{"model", "m"}}}}}, {"graders", slots.graders()}};
    const auto read = read_eval_spec(yaml_text(spec), "s.yaml", [](const std::string& path) {
      return Result<std::string>(fail(ErrorCode::kNotFound, path));
    });
    EXPECT_TRUE(read) << yaml << ":\n" << yaml_text(spec) << (read ? "" : read.error().message);
  }
}

TEST(ForeignAssertion, ValuesAreFilledFromTheTest) {
  const Json who = {{"who", "Ada"}};
  EXPECT_EQ(take("{type: equals, value: '{{who}}!'}", who)->expected, "Ada!");
  EXPECT_EQ(take("{type: contains-any, value: ['{{who}}', x]}", who)->expected, Json({"Ada", "x"}));
  EXPECT_EQ(take("{type: contains, value: 'file://text.txt'}", who)->expected, "from Ada");
  EXPECT_EQ(take("{type: starts-with, value: 'a.{{who}}'}", who)->grader["pattern"], "^a\\.Ada");
  EXPECT_EQ(take("{type: equals, value: '{{absent}}'}", who)->expected, "");
  EXPECT_EQ(take("{type: contains, value: x, metric: short}", who)->name, "short");
}

TEST(ForeignAssertion, AListInOneTextIsReadAsPromptfooDoes) {
  const std::pair<const char*, Json> kCases[] = {
      {R"(a, b)", {"a", "b"}},
      {R"(,a,, b ,)", {"a", "b"}},
      {R"("Paris, France", Rome)", {"Paris, France", "Rome"}},
      {R"("say \"hi\"", "a ""b""", "c\\d")", {R"(say "hi")", R"(a "b")", R"(c\d)"}},
      {R"(" a ",b "c")", {" a ", R"(b "c")"}},
  };
  for (const auto& [text, list] : kCases) {
    const auto taken = take(Json({{"type", "contains-any"}, {"value", text}}).dump());
    ASSERT_TRUE(taken) << text << ": " << taken.error().message;
    EXPECT_EQ(taken->expected, list) << text;
  }
}

TEST(ForeignAssertion, OthersAreRefusedWithTheReason) {
  const std::pair<const char*, const char*> kCases[] = {
      {"{}", "has no type"},
      {"{type: similar, value: x}", "embeddings"},
      {"{type: not-similar, value: x}", "embeddings"},
      {"{type: nonsense}", "no grader here"},
      {"{type: equals}", "has no value"},
      {"{type: contains, value: ''}", "every text contains"},
      {"{type: contains, value: '{{absent}}'}", "every text contains"},
      {"{type: contains-any, value: [a, '']}", "every text contains"},
      {"{type: contains-all, value: []}", "no list of values"},
      {"{type: contains-all, value: ' , '}", "no list of values"},
      {"{type: contains-any, value: '\"a, b'}", "does not end"},
      {"{type: contains-any, value: '\"a\" b'}", "comma is missing"},
      {"{type: starts-with}", "every text begins so"},
      {"{type: regex, value: '(?=x)'}", "invalid"},
      {"{type: regex, value: ''}", "no expression"},
      {"{type: is-json, value: {type: 7}}", "the schema"},
      {"{type: is-json, value: 'file://absent.json'}", "no such file"},
      {"{type: contains, value: 'file://x.py:f'}", "is a program"},
      {"{type: contains, value: '{{a.b}}'}", "no plain variable"},
      {"{type: llm-rubric}", "no criteria"},
      {"{type: contains, value: x, weight: 0}", "only records"},
      {"{type: contains, value: x, weight: -1}", "only records"},
      {"{type: contains, value: x, transform: f}", "changes the answer"},
      {"{type: latency}", "no threshold"},
      {"{type: latency, threshold: 0}", "no number above 0"},
      {"{type: latency, threshold: 0.5}", "below a millisecond"},
      {"{type: latency, threshold: soon}", "no number above 0"},
      {"{type: latency, threshold: 1e300}", "no number above 0, up to"},
      {"{type: cost, threshold: -1}", "no number above 0"},
      {"{type: cost}", "no threshold"},
  };
  for (const auto& [yaml, says] : kCases) {
    const auto taken = take(yaml);
    ASSERT_FALSE(taken) << yaml;
    EXPECT_THAT(taken.error().message, HasSubstr(says)) << yaml;
  }
}

TEST(ForeignAssertion, LimitsOfTimeAndCostKeepTheirUnitAndSayWhatDiffers) {
  const auto latency = take("{type: latency, threshold: 1500.9}");
  ASSERT_TRUE(latency);
  EXPECT_EQ(latency->grader, Json({{"kind", "latency"}, {"max", "1500ms"}}));
  EXPECT_THAT(latency->difference, HasSubstr("from a cache is ungraded"));
  EXPECT_FALSE(latency->expected);
  const auto cost = take("{type: not-cost, threshold: 0.02}");
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->grader, Json({{"kind", "cost"}, {"max", 0.02}, {"negate", true}}));
  EXPECT_THAT(cost->difference, HasSubstr("take no notice of 'not-'"));
  EXPECT_EQ(assertion_of_cell("latency(200)"), Json({{"type", "latency"}, {"threshold", 200.0}}));
}

TEST(ForeignAssertion, ACellIsAnAssertionOrWhatTheAnswerEquals) {
  const struct {
    const char* cell;
    Json assertion;
  } kCases[] = {
      {"Paris", {{"type", "equals"}, {"value", "Paris"}}},
      {"equals: 30", {{"type", "equals"}, {"value", "30"}}},
      {"contains:Paris", {{"type", "contains"}, {"value", "Paris"}}},
      {"not-contains: a:b", {{"type", "not-contains"}, {"value", "a:b"}}},
      {"similar(0.8):Hello", {{"type", "similar"}, {"value", "Hello"}, {"threshold", 0.8}}},
      {"is-json", {{"type", "is-json"}}},
      {"grade: is kind", {{"type", "llm-rubric"}, {"value", " is kind"}}},
      {"llm-rubric: is kind", {{"type", "llm-rubric"}, {"value", "is kind"}}},
      {"fn: x", {{"type", "javascript"}}},
      {"javascript: x", {{"type", "javascript"}, {"value", "x"}}},
      {"file://a.py", {{"type", "python"}}},
      {"Note: this", {{"type", "equals"}, {"value", "Note: this"}}},
      {"f(x)", {{"type", "equals"}, {"value", "f(x)"}}},
      {"contains(x): y", {{"type", "equals"}, {"value", "contains(x): y"}}},
      {"contains (", {{"type", "equals"}, {"value", "contains ("}}},
  };
  for (const auto& one : kCases) EXPECT_EQ(assertion_of_cell(one.cell), one.assertion) << one.cell;
}

TEST(ForeignAssertion, RubricsThatDifferAreOneJudgeWithATemplate) {
  GraderSlots slots;
  std::vector<GraderSlots::Row> rows(2);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    slots.add(*take("{type: llm-rubric, value: is kind}"), rows[i]);
    slots.add(*take("{type: llm-rubric, value: 'names {{city}}'}", {{"city", std::to_string(i)}}),
              rows[i]);
  }
  slots.finish({});
  const Json graders = slots.graders();
  ASSERT_EQ(graders.size(), 2U);
  EXPECT_EQ(graders[0]["criteria"], "is kind");
  EXPECT_FALSE(graders[0].contains("template"));
  EXPECT_EQ(graders[1]["expected_var"], "expected_llm-rubric-2");
  EXPECT_THAT(graders[1]["template"].get<std::string>(), HasSubstr("{{expected}}"));
  EXPECT_EQ(slots.columns_of(rows[1]), Json({{"expected_llm-rubric-2", "names 1"}}));
  const Json spec = {{"name", "n"}, {"judges", {{"j", {{"model", "m"}}}}}, {"graders", graders}};
  const auto read = read_eval_spec(yaml_text(spec), "s.yaml", [](const std::string& path) {
    return Result<std::string>(fail(ErrorCode::kNotFound, path));
  });
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
}

TEST(ForeignAssertion, EqualOnesOfManyTestsAreOneGrader) {
  GraderSlots slots;
  std::vector<GraderSlots::Row> rows(3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string n = std::to_string(i);
    slots.add(*take("{type: equals, value: '" + n + "'}"), rows[i]);
    slots.add(*take("{type: contains, value: same}"), rows[i]);
    slots.add(*take("{type: contains, value: 'b" + n + "'}"), rows[i]);
  }
  slots.add(*take("{type: regex, value: x}"), rows[1]);
  slots.add(*take("{type: regex, value: x}"), rows[1]);
  EXPECT_EQ(slots.size(), 4U);
  EXPECT_TRUE(slots.differ(rows));
  EXPECT_THAT(rows[1].slots, ElementsAre(0, 1, 2, 3));
  slots.finish({"expected_equals"});
  const Json graders = slots.graders();
  EXPECT_EQ(graders[0]["expected_var"], "expected_equals_2");
  EXPECT_EQ(graders[1]["expected"], "same");
  EXPECT_EQ(graders[2]["name"], "contains-2");
  EXPECT_EQ(slots.columns_of(rows[2]),
            Json({{"expected_equals_2", "2"}, {"expected_contains-2", "b2"}}));
}

}  // namespace
}  // namespace filecall::client
