// SPDX-License-Identifier: MIT
#include "worker/exec/llm/script/scripted_call.h"

#include <gmock/gmock.h>

#include "worker/exec/llm/script/script_reader.h"

namespace filecall::worker::llm {
namespace {

using testing::ElementsAre;

const Json kBody = Json::parse(R"({
  "model": "m-1", "stream": true, "stream_options": {"include_usage": true}, "n": 2,
  "response_format": {"type": "json_object"},
  "tools": [{"type": "function", "function": {"name": "file.read"}}],
  "messages": [
    {"role": "system", "content": "rules"}, {"role": "developer", "content": "more rules"},
    {"role": "user", "content": [{"type": "text", "text": "first "},
                                 {"type": "text", "text": "try"}]},
    {"role": "assistant", "content": null, "tool_calls": []},
    {"role": "tool", "tool_call_id": "c", "content": "sha256 0abc"}]})");

bool fits(const Json& when, const Json& body = kBody) {
  const auto lines = read_script(Json{{"when", when}, {"reply", ""}}.dump(), "s");
  EXPECT_TRUE(lines) << lines.error();
  return match(lines->front(), read_scripted_call(body, "run.1.plan")).has_value();
}

TEST(ScriptedCall, HasTheTextsOfEachRole) {
  const ScriptedCall call = read_scripted_call(kBody, "r");
  EXPECT_EQ(call.system, "rules\nmore rules");
  EXPECT_EQ(call.user, "first try");
  EXPECT_EQ(call.tool_result, "sha256 0abc");
  EXPECT_EQ(call.last, "sha256 0abc");
  EXPECT_EQ(call.any, "rules\nmore rules\nfirst try\nsha256 0abc");
  EXPECT_EQ(call.turn, 2);
  EXPECT_THAT(call.tools, ElementsAre("file.read"));
  EXPECT_EQ(call.format, "json_object");
  EXPECT_TRUE(call.is_streamed && call.wants_usage);
  EXPECT_EQ(call.choices, 2);
}

TEST(ScriptedCall, FitsALineWhenAllThatItSaysHolds) {
  EXPECT_TRUE(fits(Json::object()));
  EXPECT_TRUE(fits({{"turn", 2}, {"user", "^first"}, {"tool_result", "0a"}, {"model", "m"}}));
  EXPECT_TRUE(fits({{"request", "^run\\.1\\."}, {"tool", "file.read"}, {"format", "json_object"}}));
  for (const Json& when :
       {Json{{"turn", 1}}, Json{{"user", "rules"}}, Json{{"system", "first"}}, Json{{"model", "x"}},
        Json{{"tool", "file.edit"}}, Json{{"format", "text"}}, Json{{"request", "2"}},
        Json{{"user", "first"}, {"last", "first"}}}) {
    EXPECT_FALSE(fits(when)) << when;
  }
}

TEST(ScriptedCall, TakesMembersOfAnyType) {
  const Json values[] = {nullptr, true, 3, "x", Json::array({1}), Json{{"a", 1}}};
  for (const auto& [name, unused] : kBody.items()) {
    for (const Json& value : values) {
      Json body = kBody;
      body[name] = value;
      EXPECT_NO_THROW(read_scripted_call(body, "r"));
      body = kBody;
      body["messages"][0] = value;
      body["messages"][1]["content"] = value;
      body["tools"][0] = value;
      EXPECT_NO_THROW(read_scripted_call(body, "r"));
      EXPECT_NO_THROW(read_scripted_call(value, "r"));
    }
  }
}

}  // namespace
}  // namespace filecall::worker::llm
