// SPDX-License-Identifier: MIT
#include "client/agent/plan/answer_parts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace filecall::client {
namespace {

std::vector<Json> objects_of(const std::string& text) {
  std::vector<Json> values;
  for (const AnswerObject& object : split_answer(text).objects) values.push_back(object.value);
  return values;
}

TEST(AnswerParts, FindsTheObjectsAtTheTopAlone) {
  const Json a = {{"a", 1}};
  const struct {
    std::string text;
    std::vector<Json> objects;
  } rows[] = {
      {"", {}},
      {"no braces", {}},
      {R"({"a":1})", {a}},
      {R"(Here it is: {"a":1}. Done.)", {a}},
      {R"({"a":1}{"a":1})", {a, a}},
      {R"([{"a":1}, {"a":1}])", {a, a}},
      {R"({"outer":{"a":1}})", {{{"outer", a}}}},
      {R"({"text":"} {\"a\":1} {"})", {{{"text", "} {\"a\":1} {"}}}},
      {"```json\n{\"a\":1}\n```", {a}},
      {"```\n{\"a\":1}\n```\n", {a}},
      {"~~~JSON\n{\"a\":1}\n~~~", {a}},
      {"   ```json\n   {\"a\":1}\n   ```", {a}},
      {R"(Use {name} and ${HOME} and f() { return 1; } then {"a":1})", {a}},
      {"<think>maybe {\"b\":2}</think>\n{\"a\":1}", {a}},
      {"{\"text\":\"line\n```go\nfunc\n```\n\"}", {{{"text", "line\n```go\nfunc\n```\n"}}}},
      // Only what stands outside of named blocks, unless nothing does.
      {"{\"a\":1}\n```main.json\n{\"b\":2}\n```\n", {a}},
      {"```plan\n{\"a\":1}\n```\n", {a}},
  };
  for (const auto& row : rows) EXPECT_EQ(objects_of(row.text), row.objects) << row.text;
}

TEST(AnswerParts, TakesNothingOutOfABrokenObject) {
  const std::string inner = R"({"tool":"file.delete","args":{}})";
  for (const std::string& text :
       {R"({"actions":[)" + inner, R"({"actions":[)" + inner + " " + inner + "]}",
        R"({"actions" [)" + inner + "]}", "{'actions':[" + inner + "]}",
        R"({"a":1, "a":[)" + inner + "]}", "{actions: x, b:" + inner + "}",
        R"({"commentary":"it is "quoted"","actions":[)" + inner + "]}"}) {
    const AnswerParts parts = split_answer(text);
    EXPECT_TRUE(parts.objects.empty()) << text;
    EXPECT_EQ(parts.broken.size(), 1U) << text;
  }
}

TEST(AnswerParts, KeepsBlocksAsTheyAre) {
  const std::string text =
      "{\"a\":1}\n````main.md\nsee\n```sh\nls\n```\n````\nand\n~~~x y\n{\n~~~\n```open\nrest";
  const AnswerParts parts = split_answer(text);
  ASSERT_EQ(parts.blocks.size(), 3U);
  EXPECT_EQ(parts.blocks[0].info, "main.md");
  EXPECT_EQ(parts.blocks[0].text, "see\n```sh\nls\n```\n");
  EXPECT_EQ(parts.blocks[1].info, "x y");
  EXPECT_EQ(parts.blocks[1].text, "{\n");
  EXPECT_FALSE(parts.blocks[2].is_closed);
  EXPECT_EQ(parts.blocks[2].text, "rest");
  EXPECT_EQ(parts.stray_fence, std::string_view::npos);
}

TEST(AnswerParts, SeesThatABlockMayHaveEndedAtItsOwnFence) {
  for (const char* inside : {"```sh\nls\n```\n", "```\nls\n```\n"}) {
    const std::string text =
        std::string("{\"a\":1}\n```README.md\nUse it:\n") + inside + "the end\n```\n";
    EXPECT_NE(split_answer(text).stray_fence, std::string_view::npos) << text;
  }
  EXPECT_EQ(split_answer("```x\na\n```\n```json\n{\"a\":1}\n```\n").stray_fence,
            std::string_view::npos);
}

TEST(AnswerParts, TakesTimeInProportionToTheText) {
  for (const char* unit :
       {"{", "{\"", "{\"a\":", "{/*", "{//", "```\n", "```x\n", "{a", "}", "\\\"{"}) {
    std::string text;
    while (text.size() < 200'000) text += unit;
    split_answer(text);  // Quadratic, this would take minutes.
  }
}

}  // namespace
}  // namespace filecall::client
