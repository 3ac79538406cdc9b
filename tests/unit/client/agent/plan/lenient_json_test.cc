// SPDX-License-Identifier: MIT
#include "client/agent/plan/lenient_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(LenientJson, TakesWhatJsonIs) {
  for (const char* text :
       {"{}", R"({"a":1})", R"({"a":[1,-2.5e3,true,false,null,"x"],"b":{"c":{}}})",
        R"({ "a" : "\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00" })", "{\"a\":\"{[,]}\"}"}) {
    const auto object = read_lenient_object(text, 0);
    ASSERT_TRUE(object) << text << ": " << object.error().message;
    EXPECT_EQ(object->value, Json::parse(text));
    EXPECT_EQ(object->end, std::string_view(text).size());
    EXPECT_THAT(object->repairs, IsEmpty());
  }
}

TEST(LenientJson, RepairsWhatCanMeanOneThingOnly) {
  const struct {
    const char* text;
    const char* same;
    const char* repair;
  } rows[] = {
      {R"({"a":1,})", R"({"a":1})", "a trailing comma"},
      {R"({"a":[1,2,],})", R"({"a":[1,2]})", "a trailing comma"},
      {"{\"a\":1 // one\n}", R"({"a":1})", "a comment"},
      {R"({/* first */"a":1})", R"({"a":1})", "a comment"},
      {R"({a:1,b_2:{c:3}})", R"({"a":1,"b_2":{"c":3}})", "a name without quotes"},
      {"{\"a\":\"one\ntwo\tthree\"}", R"({"a":"one\ntwo\tthree"})",
       "a line break or control character in a string"},
      {R"({"a":True,"b":False,"c":None})", R"({"a":true,"b":false,"c":null})",
       "True, False or None"},
      {R"({"a":"it\'s"})", R"({"a":"it's"})", "an escaped single quote"},
  };
  for (const auto& row : rows) {
    const auto object = read_lenient_object(row.text, 0);
    ASSERT_TRUE(object) << row.text << ": " << object.error().message;
    EXPECT_EQ(object->value, Json::parse(row.same)) << row.text;
    EXPECT_THAT(object->repairs, ElementsAre(row.repair)) << row.text;
  }
}

TEST(LenientJson, NamesThePlaceAndTheRuleOfWhatItIsNot) {
  const struct {
    std::string text;
    const char* rule;
    std::size_t offset;
    const char* message;
  } rows[] = {
      {R"({"a":1 "b":2})", "not_json", 7, "expected ',' or '}' after a member, found '\"'"},
      {R"({"a":[1 2]})", "not_json", 8, "expected ',' or ']' after an element, found '2'"},
      {R"({"a" 1})", "not_json", 5, "expected ':'"},
      {R"({"a":,})", "not_json", 5, "expected a value, found ','"},
      {R"({,})", "not_json", 1, "expected a name"},
      {R"({'a':1})", "not_json", 1, "single quotes"},
      {R"({"a":'x'})", "not_json", 5, "single quotes"},
      {R"({"a":yes})", "not_json", 5, "a text without quotes, 'yes'"},
      {R"({"a":NaN})", "not_json", 5, "a text without quotes"},
      {R"({"a":01})", "not_json", 5, "a number"},
      {R"({"a":1e999})", "not_json", 5, "a number"},
      {R"({"a":+1})", "not_json", 5, "expected a value"},
      {R"({"a":"\d+"})", "not_json", 6, "an escape"},
      {R"({"a":"\ud800x"})", "not_json", 6, "surrogate"},
      {R"({"a":"\u12G4"})", "not_json", 6, "hexadecimal"},
      {"{\"a\":\xe2\x80\x9cx\xe2\x80\x9d}", "not_json", 5, "found '\xe2\x80\x9c'"},
      {R"({"a":1,"a":2})", "duplicate_name", 7, "second member"},
      {R"({"a":1)", "truncated", 6, "',' or '}'"},
      {R"({"a":[1,)", "truncated", 8, "the next element"},
      {R"({"a":"on)", "truncated", 8, "the end of a string"},
      {R"({"a":"on\)", "truncated", 9, "the end of a string"},
      {R"({"a":"on\u00)", "truncated", 12, "the end of a string"},
      {R"({"a")", "truncated", 4, "':'"},
      {R"({"a":)", "truncated", 5, "a value"},
      {R"({"a":tru)", "truncated", 8, "the rest of a value"},
      {R"({)", "truncated", 1, "the next member"},
      {R"({"a":1 /* x)", "truncated", 11, "the end of a comment"},
  };
  for (const auto& row : rows) {
    const auto object = read_lenient_object(row.text, 0);
    ASSERT_FALSE(object) << row.text;
    EXPECT_EQ(object.error().rule, row.rule) << row.text << ": " << object.error().message;
    EXPECT_EQ(object.error().offset, row.offset) << row.text << ": " << object.error().message;
    EXPECT_THAT(object.error().message, HasSubstr(row.message)) << row.text;
  }
}

TEST(LenientJson, IsBoundedInDepth) {
  std::string text = R"({"a":)" + std::string(100'000, '[');
  EXPECT_EQ(read_lenient_object(text, 0).error().rule, "too_deep");
  text.clear();
  for (int i = 0; i < 100'000; ++i) text += R"({"a":)";
  EXPECT_EQ(read_lenient_object(text, 0).error().rule, "too_deep");
}

TEST(LenientJson, EndsCutOffAtEveryByte) {
  const std::string text = R"({"a":[1,-2.5e3,true,null,"x\n\u00e4"],"b":{"c":{}},"d":"e"})";
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    const auto object = read_lenient_object(text.substr(0, cut), 0);
    ASSERT_FALSE(object) << cut;
    // "-" and "2.5e" alone may be what a number is wrong by.
    if (object.error().rule != "not_json") {
      EXPECT_EQ(object.error().rule, "truncated") << cut;
    }
  }
}

}  // namespace
}  // namespace filecall::client
