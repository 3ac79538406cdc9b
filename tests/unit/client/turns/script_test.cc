// SPDX-License-Identifier: MIT
#include "client/turns/script.h"

#include <gmock/gmock.h>

namespace filecall::client {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::string problem_of(const Json& json, int max_turns = 50) {
  const auto script = read_script(json, max_turns);
  return script ? "" : script.error();
}

TEST(Script, TurnsAreTextsOrPartsAndACellMayHoldTheirList) {
  EXPECT_EQ(problem_of({{"turns", {"a", Json::array({{{"type", "text"}, {"text", "b"}}})}}}), "");
  const auto of_cell = read_script({{"turns", R"(["a", "b"])"}}, 50);
  ASSERT_TRUE(of_cell);
  EXPECT_THAT(of_cell->turns, SizeIs(2));
}

TEST(Script, WhatCannotBeAskedIsRefusedWithItsPlace) {
  const std::pair<Json, const char*> table[] = {
      {Json::object(), "turns: must be a list"},
      {{{"turns", Json::array()}}, "at least one"},
      {{{"turns", "one"}}, "must be a list"},
      {{{"turns", {"a", ""}}}, "turn 2: is empty"},
      {{{"turns", {"a", " \n"}}}, "turn 2: is empty"},
      {{{"turns", {7}}}, "turn 1: is neither"},
      {{{"turns", {Json::array({"x"})}}}, "a part is an object"},
      {{{"turns", {"a"}}, {"tool_results", {1, 2}}}, "tool_results: must be an object"},
      {{{"turns", {"a"}}, {"max_tool_rounds", -1}}, "max_tool_rounds"},
      {{{"turns", {"a"}}, {"max_tool_rounds", 101}}, "max_tool_rounds"},
      {{{"turns", {"a"}}, {"max_tool_rounds", "3"}}, "max_tool_rounds"},
  };
  for (const auto& [json, problem] : table) EXPECT_THAT(problem_of(json), HasSubstr(problem));
  EXPECT_THAT(problem_of({{"turns", {"a", "b", "c"}}}, 2), HasSubstr("--max-turns 2"));
}

TEST(Script, AnEmptyCellIsNoToolResult) {
  EXPECT_EQ(problem_of({{"turns", {"a"}}, {"tool_results", ""}}), "");
  EXPECT_EQ(problem_of({{"turns", {"a"}}, {"tool_results", R"({"look": 18})"}}), "");
  EXPECT_NE(problem_of({{"turns", {"a"}}, {"tool_results", "{"}}), "");
}

TEST(Script, WhatIsListedIsReadAgainAsItWas) {
  const Json json = {{"turns", {"a", "b"}},
                     {"tools", {{"look", {{"type", "object"}}}}},
                     {"tool_results", {{"find", {1, 2}}}},
                     {"max_tool_rounds", 3}};
  const auto script = read_script(json, 50);
  ASSERT_TRUE(script);
  EXPECT_EQ(script_json(*script), json);
  const auto again = parse_script(script_json(*script));
  ASSERT_TRUE(again);
  EXPECT_EQ(script_json(*again), json);
}

TEST(Script, ADataUriIsShownByItsDigestAndOnlyOnce) {
  const Json content = {
      {{"type", "image_url"}, {"image_url", {{"url", "data:image/png;base64,AAAA"}}}}};
  const Json shown = shown_content(content);
  const std::string url = shown[0]["image_url"]["url"];
  EXPECT_THAT(url, HasSubstr("image/png, 4 bytes of base64, sha256:"));
  EXPECT_EQ(shown_content(shown), shown);
  const Json other = {
      {{"type", "image_url"}, {"image_url", {{"url", "data:image/png;base64,AAAB"}}}}};
  EXPECT_NE(shown_content(other), shown);
  EXPECT_EQ(shown_content("https://example.org/a.png"), "https://example.org/a.png");
}

TEST(Script, AContentInWordsNamesWhatIsNoText) {
  const Json content = {{{"type", "text"}, {"text", "look"}}, {{"type", "image_url"}}, 5};
  EXPECT_EQ(content_words(content), "look\n[image_url]\n[part]");
  EXPECT_EQ(content_words("plain"), "plain");
  EXPECT_EQ(content_words(nullptr), "");
}

}  // namespace
}  // namespace filecall::client
