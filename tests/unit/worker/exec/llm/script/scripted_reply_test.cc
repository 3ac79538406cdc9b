// SPDX-License-Identifier: MIT
#include "worker/exec/llm/script/scripted_reply.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/utf8.h"
#include "worker/exec/llm/script/script_reader.h"

namespace filecall::worker::llm {
namespace {

ScriptedReply reply_of(const std::string& line, bool is_streamed = false) {
  std::string one_line = line;
  std::replace(one_line.begin(), one_line.end(), '\n', ' ');
  const auto lines = read_script(one_line, "s");
  EXPECT_TRUE(lines) << lines.error();
  ScriptedCall call;
  call.model = "m";
  call.is_streamed = is_streamed;
  call.last = call.any = "sha256 0abc and 17";
  const auto values = match(lines->front(), call);
  EXPECT_TRUE(values);
  return make_reply(lines->front(), call, *values);
}

Json message_of(const std::string& line) {
  return Json::parse(reply_of(line).body.at(0).bytes)["choices"][0]["message"];
}

TEST(ScriptedReply, PutsWhatAPatternFoundIntoItsTexts) {
  const Json message = message_of(R"x({
      "when": {"any": "sha256 (?P<sha>\\w+) and (?P<number>\\d+)"},
      "reply": {"text": "{{sha}}-{{other}}-{{number}} {{",
                "tool_calls": [{"name": "n", "arguments": {"base": ["{{sha}}"]}}]}})x");
  EXPECT_EQ(message["content"], "0abc-{{other}}-17 {{");
  EXPECT_EQ(message["tool_calls"][0]["function"]["arguments"], R"({"base":["0abc"]})");
  EXPECT_EQ(message["tool_calls"][0]["id"], "call_1_1");
}

TEST(ScriptedReply, StreamsWholeCharactersInPieces) {
  const std::string text = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z";
  for (int size = 1; size < 12; ++size) {
    const Json line = {{"reply", text}, {"piece_bytes", size}, {"piece_delay_ms", 7}};
    const ScriptedReply reply = reply_of(line.dump(), true);
    std::string got;
    for (std::size_t i = 0; i < reply.body.size(); ++i) {
      const std::string& bytes = reply.body[i].bytes;
      EXPECT_TRUE(is_valid_utf8(bytes));
      EXPECT_EQ(reply.body[i].after, i == 0 ? Duration{} : milliseconds(7));
      ASSERT_TRUE(bytes.starts_with("data: ") && bytes.ends_with("\n\n"));
      if (bytes == "data: [DONE]\n\n") continue;
      const Json event = Json::parse(bytes.substr(6));
      got += event["choices"][0]["delta"].value("content", "");
    }
    EXPECT_EQ(got, text);
    EXPECT_EQ(reply.body.back().bytes, "data: [DONE]\n\n");
  }
}

TEST(ScriptedReply, BreaksOffInItsMiddle) {
  const ScriptedReply whole = reply_of(R"({"reply": "abcdefgh"})");
  const ScriptedReply half = reply_of(R"({"reply": "abcdefgh", "fault": "cut"})");
  EXPECT_EQ(half.end, HttpEnd::kTruncated);
  EXPECT_EQ(half.body[0].bytes, whole.body[0].bytes.substr(0, whole.body[0].bytes.size() / 2));
  const ScriptedReply stream =
      reply_of(R"({"reply": "abcd", "piece_bytes": 1, "fault": "cut"})", true);
  EXPECT_EQ(stream.body.size(), 2U);
  const ScriptedReply short_stream = reply_of(R"({"reply": "ab", "fault": "cut"})", true);
  ASSERT_EQ(short_stream.body.size(), 1U);
  EXPECT_FALSE(short_stream.body[0].bytes.ends_with('\n'));
}

TEST(ScriptedReply, SaysAnErrorAsAServerDoes) {
  const ScriptedReply reply = reply_of(
      R"({"error": {"status": 429, "message": "slow", "code": "c", "retry_after_ms": 20}})");
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.headers.find("retry-after-ms"), "20");
  EXPECT_EQ(Json::parse(reply.body[0].bytes)["error"], Json({{"message", "slow"}, {"code", "c"}}));
}

TEST(ScriptedReply, EndsWhereATimeLimitOfTheCallEndsIt) {
  const HttpTimeouts timeouts{seconds(1), seconds(10), seconds(5), seconds(20)};
  struct Row {
    std::vector<int> pieces_s;
    int end_s;
    HttpEnd end;
    std::size_t left;
    int end_after_s;
  };
  const Row rows[] = {
      {{1, 2}, 0, HttpEnd::kComplete, 2, 0},
      {{11}, 0, HttpEnd::kTimeoutFirstEvent, 0, 10},
      {{}, 99, HttpEnd::kTimeoutFirstEvent, 0, 10},
      {{1, 6, 1}, 0, HttpEnd::kTimeoutIdle, 1, 5},
      {{10, 5, 4, 3}, 0, HttpEnd::kTimeoutTotal, 3, 1},
      {{1}, 6, HttpEnd::kTimeoutIdle, 1, 5},
      {{10, 5, 5}, 1, HttpEnd::kTimeoutTotal, 3, 0},
  };
  for (const Row& row : rows) {
    ScriptedReply reply;
    for (const int after : row.pieces_s) reply.body.push_back({seconds(after), "x"});
    reply.end_after = seconds(row.end_s);
    bound_by(timeouts, reply);
    EXPECT_EQ(reply.end, row.end);
    EXPECT_EQ(reply.body.size(), row.left);
    EXPECT_EQ(reply.end_after, seconds(row.end_after_s));
  }
}

}  // namespace
}  // namespace filecall::worker::llm
