// SPDX-License-Identifier: MIT
#include "ipc/schema_validator.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "ipc/schema_words.h"

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

TEST(SchemaValidator, SaysWhatItHasNoWordsForInTheLibrarysWords) {
  const auto validator = SchemaValidator::compile(
      std::string_view(R"({"properties":{"a":{"type":"string","pattern":"^x+$"}}})"));
  EXPECT_FALSE(validator->check(Json{{"a", "xxx"}}));
  const auto violation = validator->check(Json{{"a", "xyx"}});
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->pointer, "/a");
  EXPECT_NE(violation->rule.find("pattern"), std::string::npos);
}

TEST(SchemaValidator, NeverTriesAPatternOnALongText) {
  const std::string huge(8 << 20, 'x');
  for (
      const char* text : {
          R"({"properties":{"a":{"pattern":"^(x|y)*$"}}})",
          R"({"properties":{"a":{"format":"date-time"}}})",
          R"({"additionalProperties":{"anyOf":[{"pattern":"^(x|y)*$"}]}})",
          R"({"allOf":[{"properties":{"a":{"not":{"pattern":"y"}}}}]})",
          R"({"patternProperties":{"^a":{"pattern":"^(x|y)*$"}}})",
          R"({"definitions":{"d":{"pattern":"x*"}},"properties":{"a":{"$ref":"#/definitions/d"}}})",
          R"({"if":{"properties":{"a":{"pattern":"x*"}}},"then":{}})",
          R"({"dependencies":{"a":{"properties":{"a":{"pattern":"x*"}}}}})",
      }) {
    const auto validator = SchemaValidator::compile(std::string_view(text));
    ASSERT_TRUE(validator) << text;
    const auto violation = validator->check(Json{{"a", huge}});
    ASSERT_TRUE(violation) << text;
    EXPECT_EQ(violation->pointer, "/a") << text;
    EXPECT_NE(violation->rule.find("longer than 2048 bytes"), std::string::npos);
  }
  const auto in_array =
      SchemaValidator::compile(std::string_view(R"({"items":[{},{"pattern":"x*"}]})"));
  EXPECT_TRUE(in_array->check(Json::array({1, huge})));
  const auto as_name =
      SchemaValidator::compile(std::string_view(R"({"propertyNames":{"pattern":"x*"}})"));
  EXPECT_TRUE(as_name->check(Json{{huge, 1}}));
}

TEST(SchemaValidator, LongTextsThatNoPatternConcernsAreFine) {
  const auto validator = SchemaValidator::compile(
      std::string_view(R"({"properties":{"id":{"pattern":"^[a-z]+$"},"text":{"type":"string"}}})"));
  EXPECT_FALSE(validator->check(Json{{"id", "abc"}, {"text", std::string(1 << 20, 'x')}}));
  EXPECT_FALSE(validator->check(Json{{"id", std::string(kPatternSubjectBytesMax, 'x')}}));
  EXPECT_TRUE(validator->check(Json{{"id", std::string(kPatternSubjectBytesMax + 1, 'x')}}));
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
