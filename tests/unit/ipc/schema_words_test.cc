// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "ipc/schema_catalog.h"
#include "ipc/schema_validator.h"

namespace filecall {
namespace {

/// "pointer: rule", or "" when there are no words.
std::string words(const char* schema, const char* value) {
  const auto validator = SchemaValidator::compile(std::string_view(schema));
  if (!validator) return validator.error().message;
  const auto violation = validator->check(Json::parse(value));
  return violation ? violation->pointer + ": " + violation->rule : "";
}

std::string tool_run(const char* params) {
  return words(std::string(*find_schema("command.tool.run")).c_str(), params);
}

TEST(SchemaWords, NameThePlaceAndWhatToChange) {
  EXPECT_EQ(tool_run(R"({"argv":["ls"]})"), "");
  EXPECT_EQ(tool_run(R"({"argv":[]})"), "/argv: must have at least 1 element, has 0");
  EXPECT_EQ(tool_run(R"({"argv":["a",5]})"), "/argv/1: must be a string, is number");
  EXPECT_EQ(tool_run(R"({"argv":"ls"})"), "/argv: must be an array, is string");
  EXPECT_EQ(tool_run(R"({})"), ": must have either 'argv' or 'tool'");
  EXPECT_EQ(tool_run(R"({"argv":["a"],"tool":"b"})"),
            ": must have either 'argv' or 'tool', not both");
  EXPECT_EQ(tool_run(R"({"argv":["a"],"args":{}})"), "/tool: is missing; 'args' needs it");
  EXPECT_EQ(tool_run(R"({"argv":["a"],"stdin":"","stdin_base64":""})"),
            ": must not have 'stdin' together with 'stdin_base64'");
  EXPECT_EQ(tool_run(R"({"argv":["a"],"env":{"A/B":1}})"),
            "/env/A~1B: must be a string, is number");
  EXPECT_EQ(tool_run(R"({"argv":["a"],"timeout_ms":0})"), "/timeout_ms: must be at least 1, is 0");
  EXPECT_EQ(tool_run(R"({"argv":["a"],"timeout_ms":1.5})"),
            "/timeout_ms: must be an integer, is fraction");
  EXPECT_NE(
      tool_run(R"({"argv":["a"],"shell":true})").find("/shell: is not known; known are 'args'"),
      std::string::npos);
}

TEST(SchemaWords, CoverTheOtherKeywords) {
  EXPECT_EQ(words(R"({"enum":["a",1]})", R"("b")"), ": must be one of 'a', 1");
  EXPECT_EQ(words(R"({"const":"a"})", R"("b")"), ": must be \"a\"");
  EXPECT_EQ(words(R"({"type":["string","null"]})", "1"),
            ": must be one of 'string', 'null', is number");
  EXPECT_EQ(words(R"({"minLength":2})", R"("é")"), ": must have at least 2 characters, has 1");
  EXPECT_EQ(words(R"({"maxLength":1})", R"("ab")"), ": must have at most 1 character, has 2");
  EXPECT_EQ(words(R"({"exclusiveMaximum":3})", "3"), ": must be below 3, is 3");
  EXPECT_EQ(words(R"({"exclusiveMinimum":3})", "3"), ": must be above 3, is 3");
  EXPECT_EQ(words(R"({"maximum":3})", "4"), ": must be at most 3, is 4");
  EXPECT_EQ(words(R"({"maxItems":1})", "[1,2]"), ": must have at most 1 element, has 2");
  EXPECT_EQ(words(R"({"uniqueItems":true})", "[1,2,1]"), ": has 1 twice; elements must differ");
  EXPECT_EQ(words(R"({"minProperties":1})", "{}"), ": must have at least 1 member, has 0");
  EXPECT_EQ(words(R"({"items":[{"type":"string"},false]})", R"(["a",1])"),
            "/1: is not allowed; remove it");
  EXPECT_EQ(words(R"({"required":["a"]})", "{}"), "/a: is missing");
  EXPECT_EQ(words(R"({"allOf":[{"required":["a"]}]})", "{}"), "/a: is missing");
  EXPECT_EQ(words(R"({"anyOf":[{"type":"string"},{"properties":{"a":{"type":"null"}},
                     "type":"object"}]})",
                  R"({"a":1})"),
            "/a: must be a null, is number")
      << "the choice that comes nearest";
  EXPECT_EQ(words(R"({"oneOf":[{"minimum":1},{"minimum":2}]})", "3"),
            ": fits more than one of the allowed forms");
  EXPECT_EQ(words(R"({"not":{"type":"string"}})", R"("a")"), ": has a form that is not allowed");
  EXPECT_EQ(words(R"({"if":{"required":["a"]},"then":{"required":["b"]}})", R"({"a":1})"),
            "/b: is missing");
  EXPECT_EQ(words(R"({"if":{"required":["a"]},"else":{"required":["b"]}})", "{}"),
            "/b: is missing");
}

TEST(SchemaWords, AreBoundedWhateverTheSchemaLists) {
  Json names = Json::array(), members = Json::object();
  for (int i = 0; i < 3000; ++i) {
    names.push_back("name-" + std::to_string(i));
    members["name-" + std::to_string(i)] = true;
  }
  const std::string closed = Json{{"properties", members}, {"additionalProperties", false}}.dump();
  EXPECT_LT(words(closed.c_str(), R"({"x":1})").size(), 1000U);
  EXPECT_LT(words(Json{{"enum", names}}.dump().c_str(), "1").size(), 1000U);
}

}  // namespace
}  // namespace filecall
