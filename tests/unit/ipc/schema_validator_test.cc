// SPDX-License-Identifier: MIT
#include "ipc/schema_validator.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "ipc/json_text.h"
#include "ipc/schema_limits.h"

namespace filecall {
namespace {

TEST(SchemaValidator, RefusesWhatIsNoSchema) {
  for (const char* text :
       {"", "{", "[]", "3", R"({"type":"strin"})", R"({"type":7})", R"({"minLength":-1})",
        R"({"pattern":"("})", R"({"properties":{"a":{"pattern":"[z-a]"}}})",
        R"({"type":"object","type":"array"})"}) {
    const auto validator = SchemaValidator::compile(std::string_view(text));
    ASSERT_FALSE(validator) << text;
    EXPECT_EQ(validator.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(validator.error().message.find("schema"), std::string::npos);
  }
}

TEST(SchemaValidator, RefusesWhatLaterVersionsAdded) {
  for (const char* text :
       {R"({"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[{}]})",
        R"({"properties":{"a":{"dependentRequired":{"b":["c"]}}}})",
        R"({"allOf":[{"unevaluatedProperties":false}]})", R"({"contains":{},"minContains":2})",
        R"({"$defs":{"a":{"$dynamicRef":"#b"}}})"}) {
    const auto validator = SchemaValidator::compile(std::string_view(text));
    ASSERT_FALSE(validator) << text;
    EXPECT_NE(validator.error().message.find("draft-07"), std::string::npos)
        << validator.error().message;
  }
  EXPECT_TRUE(SchemaValidator::compile(std::string_view(
      R"({"properties":{"prefixItems":{"type":"array"}},"enum":[{"minContains":1}]})")));
}

TEST(SchemaValidator, FetchesNothing) {
  const auto validator =
      SchemaValidator::compile(std::string_view(R"({"$ref":"http://example.com/schema.json"})"));
  EXPECT_FALSE(validator);
}

TEST(SchemaValidator, FollowsLocalReferences) {
  const auto validator = SchemaValidator::compile(std::string_view(
      R"({"definitions":{"tree":{"type":"object","properties":{
          "children":{"type":"array","items":{"$ref":"#/definitions/tree"}}}}},
          "$ref":"#/definitions/tree"})"));
  ASSERT_TRUE(validator);
  EXPECT_FALSE(validator->check(Json::parse(R"({"children":[{"children":[]}]})")));
  const auto violation = validator->check(Json::parse(R"({"children":[{},{"children":3}]})"));
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->pointer, "/children/1/children");
}

TEST(SchemaValidator, RefusesReferencesThatGoInCircles) {
  for (
      const char* text :
      {R"({"$ref":"#"})", R"({"definitions":{"a":{"$ref":"#/definitions/a"}},"type":"object"})",
       R"({"allOf":[{"$ref":"#"}]})",
       R"({"properties":{"x":{"anyOf":[{"$ref":"#/properties/x"}]}}})",
       R"({"definitions":{"a":{"not":{"$ref":"#/definitions/b"}},"b":{"$ref":"#/definitions/a"}}})",
       R"({"dependencies":{"x":{"$ref":"#"}}})"}) {
    const auto validator = SchemaValidator::compile(std::string_view(text));
    ASSERT_FALSE(validator) << text;
    EXPECT_NE(validator.error().message.find("leads back to itself"), std::string::npos) << text;
  }
}

TEST(SchemaValidator, TellsTextsFromNumbers) {
  const auto validator = SchemaValidator::compile(std::string_view(R"({"type":"integer"})"));
  EXPECT_FALSE(validator->check(Json(42)));
  EXPECT_TRUE(validator->check(Json("42")));
  EXPECT_TRUE(validator->check(Json(42.5)));
  EXPECT_TRUE(validator->check(Json(true)));
}

TEST(SchemaValidator, TakesAFractionOfNothingForAnIntegerInSchemasOfOthersAlone) {
  const std::string_view schema = R"({"type":"integer"})";
  const auto theirs = SchemaValidator::compile(schema);
  const auto ours = SchemaValidator::compile(schema, SchemaOwner::kOurs);
  for (const double number : {1.0, -0.0, 1e30}) {
    EXPECT_FALSE(theirs->check(Json(number))) << number;
    EXPECT_TRUE(ours->check(Json(number))) << number << ": an executor would not find it";
  }
  EXPECT_TRUE(theirs->check(Json(1.5)));
}

TEST(SchemaValidator, TakesABooleanForASchema) {
  EXPECT_FALSE(SchemaValidator::compile(Json(true))->check(Json(1)));
  EXPECT_TRUE(SchemaValidator::compile(Json(false))->check(Json(1)));
  EXPECT_FALSE(SchemaValidator::compile(Json("true")));
}

TEST(SchemaValidator, NamesThePatternThatATextDoesNotMatch) {
  const auto validator = SchemaValidator::compile(
      std::string_view(R"({"properties":{"a":{"type":"string","pattern":"^x+$"}}})"));
  EXPECT_FALSE(validator->check(Json{{"a", "xxx"}}));
  const auto violation = validator->check(Json{{"a", "xyx"}});
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->pointer, "/a");
  EXPECT_NE(violation->rule.find("pattern"), std::string::npos);
}

TEST(SchemaValidator, MatchesAPatternInATextOfAnyLength) {
  const std::string huge(8 << 20, 'x');
  const auto validator = SchemaValidator::compile(std::string_view(
      R"({"properties":{"a":{"pattern":"^(x|y)*$"},"b":{"pattern":"^(x|y)*z$"}}})"));
  ASSERT_TRUE(validator);
  EXPECT_FALSE(validator->check(Json{{"a", huge}}));
  const auto violation = validator->check(Json{{"b", huge}});
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->pointer, "/b");
  EXPECT_NE(violation->rule.find("does not match the pattern"), std::string::npos);
}

/// Schemas that killed or hung a validator by recursion, division or doubling.
TEST(SchemaValidator, RefusesSchemasThatWouldKillOrHangIt) {
  const auto refused = [](const Json& schema, std::string_view why) {
    const auto validator = SchemaValidator::compile(schema);
    ASSERT_FALSE(validator) << why;
    EXPECT_NE(validator.error().message.find(why), std::string::npos) << validator.error().message;
    EXPECT_LT(validator.error().message.size(), 1000U);
  };
  refused({{"$ref", "email"}}, "leads out of the schema");
  refused({{"$ref", "../other.json#/a"}}, "leads out of the schema");
  refused({{"$ref", "file:///etc/passwd"}}, "leads out of the schema");
  refused({{"$ref", ""}}, "leads out of the schema");
  refused({{"$ref", "#/a/%zz"}}, "leads out of the schema");
  refused({{"$ref", "#/no/such"}}, "names nothing");
  refused({{"$ref", 7}}, "/$ref: must be a string");
  refused({{"pattern", std::string(100'000, '(')}}, "a pattern of 100000 bytes");
  refused({{"pattern", std::string(2000, '(')}}, "RE2");
  refused({{"pattern", "((a{100}){100}){100}"}}, "RE2");
  refused({{"pattern", "(?=a)b"}}, "RE2");
  refused({{"patternProperties", {{"(", true}}}}, "/patternProperties/(");
  refused({{"multipleOf", 0}}, "/multipleOf: must be a number above 0");
  refused({{"multipleOf", 0.0}}, "/multipleOf");
  refused({{"multipleOf", -1}}, "/multipleOf");
  refused({{"items", 3}}, "/items: must be a schema");
  refused({{"required", {1}}}, "/required");
  refused({{"enum", 3}}, "/enum");
  refused({{"properties", {{"a", {{"$ref", "#/properties/a/minimum"}, {"minimum", 3}}}}}},
          "must be a schema");
  Json many = Json::object();
  for (int i = 0; i < 300; ++i) many[std::to_string(i)] = {{"pattern", std::to_string(i)}};
  refused({{"properties", many}}, "300 patterns");
  Json rules = Json::array();
  for (std::size_t i = 0; i <= limits::kSchemaRulesMax; ++i) rules.push_back(true);
  refused({{"anyOf", rules}}, "more than 20000 schemas");
}

TEST(SchemaValidator, GivesUpWhenACheckTakesTooManySteps) {
  Json doubled = Json::object();
  for (int i = 0; i < 40; ++i) {
    const Json next = {{"$ref", "#/definitions/" + std::to_string(i + 1)}};
    doubled[std::to_string(i)] = {{"allOf", {next, next}}};
  }
  doubled["40"] = {{"type", "integer"}};
  for (const char* around : {"allOf", "not", "if", "contains"}) {
    Json schema = {{"definitions", doubled}};
    const Json first = {{"$ref", "#/definitions/0"}};
    schema[around] = around == std::string_view("allOf") ? Json::array({first}) : first;
    schema["then"] = true;
    const auto validator = SchemaValidator::compile(schema);
    ASSERT_TRUE(validator) << around;
    const auto violation =
        validator->check(around == std::string_view("contains") ? Json{1} : Json(1), 10'000);
    ASSERT_TRUE(violation) << around << ": what was not judged does not fit";
    EXPECT_NE(violation->rule.find("cannot be checked"), std::string::npos) << around;
  }
}

TEST(SchemaValidator, GivesUpOnRulesThatNestWithTheValue) {
  const auto validator = SchemaValidator::compile(
      std::string_view(R"({"items":{"allOf":[{"anyOf":[{"oneOf":[{"$ref":"#"}]}]}]}})"));
  ASSERT_TRUE(validator);
  Json value = Json::array();
  for (int i = 0; i < 100; ++i) value = Json::array({value});
  EXPECT_FALSE(validator->check(value));
  for (int i = 0; i < 400; ++i) value = Json::array({value});
  const auto violation = validator->check(value);
  ASSERT_TRUE(violation);
  EXPECT_NE(violation->rule.find("nest deeper"), std::string::npos);
}

TEST(SchemaValidator, FollowsALongChainOfReferences) {
  Json chain = Json::object();
  for (int i = 0; i < 15'000; ++i) {
    chain[std::to_string(i)] = {{"$ref", "#/definitions/" + std::to_string(i + 1)}};
  }
  chain["15000"] = {{"type", "integer"}};
  const auto validator =
      SchemaValidator::compile(Json{{"definitions", chain}, {"$ref", "#/definitions/0"}});
  ASSERT_TRUE(validator);
  EXPECT_FALSE(validator->check(1));
  EXPECT_TRUE(validator->check("a"));
}

TEST(SchemaValidator, MatchesPatternsInTimeThatGrowsWithTheText) {
  const auto validator = SchemaValidator::compile(std::string_view(R"({"pattern":"^(a+)+$"})"));
  EXPECT_FALSE(validator->check(std::string(100'000, 'a')));
  EXPECT_TRUE(validator->check(std::string(100'000, 'a') + "b"));
}

TEST(SchemaValidator, ReadsPatternsAsECMAScriptSpellsThem) {
  const auto matches = [](const char* pattern, const char* text) {
    return !SchemaValidator::compile(Json{{"pattern", pattern}})->check(text);
  };
  EXPECT_TRUE(matches(R"(^\u00e9\/\-\d$)", "é/-7"));
  EXPECT_FALSE(matches(R"(^\u00e9$)", "e"));
  EXPECT_TRUE(matches(R"(^(?<year>[0-9]{4})$)", "2026"));
  EXPECT_TRUE(matches(R"(^\\u00e9$)", R"(\u00e9)"));
  EXPECT_TRUE(matches("^.$", "é")) << "one character, not two bytes";
}

TEST(SchemaValidator, KnowsMultiplesOfFractions) {
  const auto validator = SchemaValidator::compile(Json{{"multipleOf", 0.01}});
  EXPECT_FALSE(validator->check(19.99));
  EXPECT_FALSE(validator->check(3));
  EXPECT_TRUE(validator->check(19.995));
  const auto whole = SchemaValidator::compile(Json{{"multipleOf", 3}});
  EXPECT_FALSE(whole->check(std::int64_t{-9223372036854775806}));
  EXPECT_TRUE(whole->check(std::uint64_t{18446744073709551614U}));
}

TEST(SchemaValidator, KnowsDatesAndTimes) {
  const auto fits = [](const char* format, const char* text) {
    return !SchemaValidator::compile(Json{{"format", format}})->check(text);
  };
  EXPECT_TRUE(fits("date", "2024-02-29"));
  EXPECT_FALSE(fits("date", "2023-02-29"));
  EXPECT_FALSE(fits("date", "2023-13-01"));
  EXPECT_FALSE(fits("date", "2023-00-01"));
  EXPECT_FALSE(fits("date", "-01-01"));
  EXPECT_TRUE(fits("date", "0001-01-01"));
  EXPECT_FALSE(fits("date", "1-01-01"));
  EXPECT_FALSE(fits("date", "999-01-01"));
  EXPECT_FALSE(fits("date", "02024-02-29"));
  EXPECT_FALSE(fits("date-time", "20260-11-20T22:31:27Z"));
  EXPECT_TRUE(fits("time", "23:59:60.5Z"));
  EXPECT_FALSE(fits("time", "23:59:59"));
  EXPECT_TRUE(fits("date-time", "2026-11-20T22:31:27.104+02:00"));
  EXPECT_FALSE(fits("date-time", "2026-11-20 22:31:27Z"));
  EXPECT_FALSE(fits("date-time", "2026-11-20T22:31:27.Z"));
  EXPECT_TRUE(fits("no-such-format", "anything"));
}

TEST(SchemaValidator, ManyThreadsMayCheckAtOnce) {
  const auto validator = SchemaValidator::compile(
      std::string_view(R"({"properties":{"a":{"pattern":"^x+$"}},"required":["a"]})"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        EXPECT_FALSE(validator->check(Json{{"a", "xx"}}));
        EXPECT_TRUE(validator->check(Json{{"b", "xx"}}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace filecall
