// SPDX-License-Identifier: MIT
#include "client/turns/tool_answer.h"

#include <gmock/gmock.h>

#include "tests/unit/client/turns/talks.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;

ToolAnswer answer_of(const Json& results, const std::string& name, const Json& arguments,
                     std::size_t nth = 0) {
  const auto script = script_of({{"turns", {"a"}}, {"tool_results", results}});
  return answer_tool_call(*script, {"id", name, arguments, false}, nth);
}

TEST(ToolAnswer, ARowsValueAnswersEveryCall) {
  EXPECT_EQ(answer_of({{"look", "18"}}, "look", Json::object()).text, "18");
  EXPECT_EQ(answer_of({{"look", "18"}}, "look", Json::object(), 9).text, "18");
  EXPECT_EQ(answer_of({{"look", {{"celsius", 18}}}}, "look", Json::object()).text,
            R"({"celsius":18})");
}

TEST(ToolAnswer, AListAnswersOneCallAfterTheOther) {
  const Json results = {{"look", {"first", "second"}}};
  EXPECT_EQ(answer_of(results, "look", Json::object(), 1).text, "second");
  const ToolAnswer beyond = answer_of(results, "look", Json::object(), 2);
  EXPECT_TRUE(beyond.is_error);
  EXPECT_THAT(beyond.text, HasSubstr("no further result"));
}

TEST(ToolAnswer, MatchersAnswerByArguments) {
  const Json results = {{"look",
                         {{{"when", {{"city", "Paris"}}}, {"result", "18"}},
                          {{"when", {{"city", "Rome"}, {"at", {{"hour", 9}}}}}, {"result", 25}}}}};
  EXPECT_EQ(answer_of(results, "look", {{"city", "Paris"}, {"unit", "C"}}, 5).text, "18");
  EXPECT_EQ(
      answer_of(results, "look", {{"city", "Rome"}, {"at", {{"hour", 9}, {"minute", 1}}}}).text,
      "25");
  EXPECT_TRUE(answer_of(results, "look", {{"city", "Rome"}}).is_error);
}

TEST(ToolAnswer, BrokenArgumentsAreAnErrorForTheModel) {
  const auto script = script_of({{"turns", {"a"}}, {"tool_results", {{"look", "18"}}}});
  EXPECT_TRUE(answer_tool_call(*script, {"id", "look", "{\"city\": ", true}, 0).is_error);
  EXPECT_TRUE(answer_tool_call(*script, {"id", "look", {1, 2}, false}, 0).is_error);
}

TEST(ToolAnswer, ADeclaredToolsArgumentsAreCheckedBeforeItRuns) {
  const auto script = script_of(
      {{"turns", {"a"}}, {"tools", {{"look", {{"type", "object"}, {"required", {"city"}}}}}}});
  const ToolAnswer good = answer_tool_call(*script, {"id", "look", {{"city", "x"}}, false}, 0);
  ASSERT_TRUE(good.params);
  EXPECT_EQ((*good.params)["tool"], "look");
  const ToolAnswer bad = answer_tool_call(*script, {"id", "look", Json::object(), false}, 0);
  EXPECT_FALSE(bad.params);
  EXPECT_THAT(bad.text, HasSubstr("the arguments are wrong"));
}

TEST(ToolAnswer, WhatAProgramPrintedIsTheResultAndItsFailureAnError) {
  EXPECT_EQ(read_tool_response(*printed("18\n")).text, "18\n");
  const ToolAnswer bad = read_tool_response(*printed("half", 3));
  EXPECT_TRUE(bad.is_error);
  EXPECT_EQ(Json::parse(bad.text)["exit_code"], 3);
  EXPECT_EQ(Json::parse(bad.text)["stdout"], "half");
  const ToolAnswer refused =
      read_tool_response(*failed_with(ErrorCode::kNotFound, "no such program"));
  EXPECT_TRUE(refused.is_error);
  EXPECT_THAT(refused.text, HasSubstr("no such program"));
  Response bytes;
  bytes.data = {{"stdout", "gQ=="}, {"stdout_base64", true}, {"exit_code", 0}};
  EXPECT_EQ(read_tool_response(bytes).text, "[output that is no text]");
}

TEST(ToolAnswer, APatternFitsWhatHasAllOfIt) {
  EXPECT_TRUE(fits_pattern(Json::object(), {{"a", 1}}));
  EXPECT_TRUE(fits_pattern({{"a", {{"b", 1}}}}, {{"a", {{"b", 1}, {"c", 2}}}}));
  EXPECT_FALSE(fits_pattern({{"a", 1}}, Json::object()));
  EXPECT_FALSE(fits_pattern({{"a", {1}}}, {{"a", {1, 2}}}));
  EXPECT_FALSE(fits_pattern({{"a", 1}}, "text"));
}

}  // namespace
}  // namespace filecall::client
