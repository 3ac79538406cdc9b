// SPDX-License-Identifier: MIT
#include "worker/exec/llm/script/script_reader.h"

#include <gmock/gmock.h>

namespace filecall::worker::llm {
namespace {

using testing::HasSubstr;

std::string problem_of(const std::string& text) {
  const auto lines = read_script(text, "s");
  return lines ? "" : lines.error();
}

TEST(ScriptReader, PassesOverEmptyLinesAndCommentsAndCountsThem) {
  const auto lines = read_script(
      "// what a comment says\n\n{\"reply\": \"a\"}\r\n{\"fault\": \"cut\", \"reply\": {\"text\": "
      "\"b\"}}",
      "s");
  ASSERT_TRUE(lines) << lines.error();
  ASSERT_EQ(lines->size(), 2U);
  EXPECT_EQ((*lines)[0].number, 3U);
  EXPECT_EQ((*lines)[0].reply, Json({{"text", "a"}}));
  EXPECT_EQ((*lines)[1].number, 4U);
  EXPECT_EQ((*lines)[1].fault, ScriptFault::kCut);
}

TEST(ScriptReader, NamesTheLineAndWhatIsWrongWithIt) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "s: has no line that answers"},
      {"\n\n{\"reply\":", "s:3: "},
      {"[1]", "s:1: "},
      {R"({"reply": "a", "replay": "b"})", "replay"},
      {R"({"when": {"user": "("}, "reply": "a"})", "s:1: /when/user: "},
      {R"({"reply": "a", "raw": "b"})", "has several answers"},
      {R"({"when": {"turn": 1}})", "has no answer"},
      {R"({"fault": "cut"})", "has no answer"},
      {R"({"fault": "reset", "reply": "a"})", "only \"cut\" goes with an answer"},
      {R"({"raw_base64": "*"})", "/raw_base64: is no base64"},
      {R"({"reply": {"tool_calls": [{"arguments": {}}]}})", "/reply/tool_calls/0"},
      {R"({"error": {"status": 200}})", "/error/status"},
  };
  for (const auto& [text, expected] : rows) EXPECT_THAT(problem_of(text), HasSubstr(expected));
}

}  // namespace
}  // namespace filecall::worker::llm
