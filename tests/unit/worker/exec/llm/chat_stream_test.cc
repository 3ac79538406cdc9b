// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "worker/exec/llm/chat_codec.h"
#include "worker/exec/llm/error_table.h"

namespace filecall::worker::llm {
namespace {

using testing::ElementsAre;

struct Reading {
  std::unique_ptr<ChatStream> stream;
  std::vector<std::string> deltas;
  std::size_t pings = 0;
};

/// Reads a recorded stream of "data" payloads (the event's name is in them, where it matters).
Reading read(ProviderKind kind, const std::vector<const char*>& events) {
  Reading reading{make_chat_stream(kind), {}, 0};
  for (const char* data : events) {
    const bool progress = reading.stream->read({"message", data, ""}, [&](const ChatDelta& delta) {
      reading.deltas.push_back(std::to_string(static_cast<int>(delta.kind)) + ":" + delta.text);
    });
    reading.pings += progress ? 0 : 1;
  }
  return reading;
}

std::string class_of(const Reading& reading) {
  if (!reading.stream->error()) return "none";
  return std::string(to_string(judge(*reading.stream->error(), {}, {}).error_class));
}

TEST(ChatStream, AssemblesChatCompletions) {
  const Reading r = read(
      ProviderKind::kOpenAi,
      {R"({"id":"c1","model":"gpt","choices":[{"index":0,"delta":{"role":"assistant","content":""},
           "finish_reason":null}],"usage":null})",
       R"({"choices":[{"index":0,"delta":{"reasoning_content":"hm"},"finish_reason":null}]})",
       R"({"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]})",
       R"({"choices":[{"index":1,"delta":{"content":"other"},"finish_reason":null}]})",
       R"({"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]})",
       R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})",
       R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}})", "[DONE]"});
  EXPECT_TRUE(r.stream->is_finished() && r.stream->is_over());
  EXPECT_EQ(class_of(r), "none");
  EXPECT_EQ(r.stream->result().text, "Hello");
  EXPECT_EQ(r.stream->result().reasoning, "hm");
  EXPECT_EQ(r.stream->result().usage.output_tokens, 2);
  EXPECT_EQ(r.stream->result().model, "gpt");
  EXPECT_THAT(r.deltas, ElementsAre("1:hm", "0:Hel", "0:lo"));
}

TEST(ChatStream, AssemblesToolCallsByIndex) {
  const Reading r = read(
      ProviderKind::kOpenAi,
      {R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f",
           "arguments":""}},{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}]}}]})",
       R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"}"}},
           {"index":0,"function":{"arguments":"{\"x\":1}"}}]}}]})",
       R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})", "[DONE]"});
  ASSERT_EQ(r.stream->result().tool_calls.size(), 2u);
  EXPECT_EQ(r.stream->result().tool_calls[0].arguments, "{\"x\":1}");
  EXPECT_EQ(r.stream->result().tool_calls[1].arguments, "{}");
  EXPECT_EQ(r.stream->result().tool_calls[1].name, "g");
  EXPECT_EQ(r.stream->result().finish_reason, FinishReason::kToolCalls);
}

TEST(ChatStream, IsNotFinishedWithoutAFinishReason) {
  const Reading r = read(ProviderKind::kOpenAi,
                         {R"({"choices":[{"index":0,"delta":{"content":"Hel"}}]})", "[DONE]"});
  EXPECT_FALSE(r.stream->is_finished());
  EXPECT_TRUE(r.stream->is_over());
  EXPECT_EQ(r.stream->result().text, "Hel");
}

TEST(ChatStream, StopsAtAnErrorAndKeepsWhatCameBefore) {
  const Reading chat =
      read(ProviderKind::kOpenAi,
           {R"({"choices":[{"index":0,"delta":{"content":"Hel"}}]})",
            R"({"error":{"message":"boom","type":"InternalServerError","code":500}})", "[DONE]"});
  EXPECT_EQ(class_of(chat), "server");
  EXPECT_FALSE(chat.stream->is_finished());
  EXPECT_EQ(chat.stream->result().text, "Hel");
  EXPECT_TRUE(chat.stream->error()->is_in_stream);
  EXPECT_EQ(class_of(read(ProviderKind::kOpenAi, {"{\"half\":"})), "bad_response");
  EXPECT_EQ(class_of(read(ProviderKind::kOpenAi, {"[1]"})), "bad_response");
  EXPECT_EQ(class_of(read(ProviderKind::kAnthropic,
                          {R"({"type":"error","error":{"type":"overloaded_error","message":
                               "Overloaded"}})"})),
            "overloaded");
  EXPECT_EQ(class_of(read(ProviderKind::kOpenAiResponses,
                          {R"({"type":"error","code":"rate_limit_exceeded","message":"m",
                               "param":null,"sequence_number":3})"})),
            "rate_limited");
  EXPECT_EQ(class_of(read(ProviderKind::kOpenAiResponses,
                          {R"({"type":"response.failed","response":{"status":"failed","error":
                               {"code":"server_error","message":"m"}}})"})),
            "server");
}

TEST(ChatStream, IgnoresWhatComesAfterItsLastEvent) {
  // A server was seen to go on with an answer to a tool's result that nobody had given.
  const Reading chat =
      read(ProviderKind::kOpenAi,
           {R"({"choices":[{"index":0,"delta":{"content":"all"},"finish_reason":"stop"}]})",
            "[DONE]", R"({"choices":[{"index":0,"delta":{"content":" more"}}]})",
            R"({"error":{"message":"late"}})"});
  EXPECT_EQ(chat.stream->result().text, "all");
  EXPECT_THAT(chat.deltas, ElementsAre("0:all"));
  EXPECT_EQ(class_of(chat), "none");
  const Reading messages =
      read(ProviderKind::kAnthropic,
           {R"({"type":"content_block_delta","delta":{"type":"text_delta","text":"all"}})",
            R"({"type":"message_stop"})",
            R"({"type":"content_block_delta","delta":{"type":"text_delta","text":" more"}})"});
  EXPECT_EQ(messages.stream->result().text, "all");
}

TEST(ChatStream, TakesTheLastEventOfResponsesForTheAnswer) {
  const Reading r = read(
      ProviderKind::kOpenAiResponses,
      {R"({"type":"response.created","response":{"status":"in_progress"},"sequence_number":0})",
       R"({"type":"response.output_text.delta","delta":"Hi","sequence_number":1})",
       R"({"type":"response.function_call_arguments.delta","delta":"{}","output_index":1})",
       R"({"type":"response.completed","response":{"status":"completed","error":null,"model":"m",
           "output":[{"type":"message","content":[{"type":"output_text","text":"Hi there"}]}],
           "usage":{"input_tokens":1,"output_tokens":2}}})",
       "[DONE]"});
  EXPECT_TRUE(r.stream->is_finished());
  EXPECT_EQ(r.stream->result().text, "Hi there");
  EXPECT_EQ(r.stream->result().usage.output_tokens, 2);
  EXPECT_THAT(r.deltas, ElementsAre("0:Hi", "3:{}"));
}

TEST(ChatStream, DoesNotCountTokensBeyondWhatCanBeAddedUp) {
  const Reading r = read(ProviderKind::kAnthropic,
                         {R"({"type":"message_start","message":{"usage":{"output_tokens":3,
           "input_tokens":9223372036854775807,"cache_read_input_tokens":9223372036854775807}}})",
                          R"({"type":"message_stop"})"});
  EXPECT_FALSE(r.stream->result().usage.input_tokens);
  EXPECT_FALSE(r.stream->result().usage.cached_input_tokens);
  EXPECT_EQ(r.stream->result().usage.output_tokens, 3);
}

TEST(ChatStream, AssemblesMessagesWithCumulativeUsageAndPings) {
  const Reading r =
      read(ProviderKind::kAnthropic,
           {R"({"type":"message_start","message":{"id":"msg_1","model":"claude","content":[],
           "stop_reason":null,"usage":{"input_tokens":25,"output_tokens":1,
           "cache_read_input_tokens":5}}})",
            R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking"}})",
            R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta",
           "thinking":"hm"}})",
            R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta",
           "signature":"s"}})",
            R"({"type":"ping"})",
            R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})",
            R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hi"}})",
            R"({"type":"content_block_stop","index":1})",
            R"({"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1",
           "name":"f","input":{}}})",
            R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta",
           "partial_json":""}})",
            R"({"type":"content_block_stop","index":2})",
            R"({"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},
           "usage":{"output_tokens":15}})",
            R"({"type":"message_stop"})"});
  const ChatResult& result = r.stream->result();
  EXPECT_TRUE(r.stream->is_finished());
  EXPECT_EQ(r.pings, 1u);
  EXPECT_EQ(result.text, "Hi");
  EXPECT_EQ(result.reasoning, "hm");
  EXPECT_EQ(result.tool_calls[0].arguments, "{}");
  EXPECT_EQ(result.finish_reason, FinishReason::kToolCalls);
  EXPECT_EQ(result.usage.input_tokens, 30);
  EXPECT_EQ(result.usage.output_tokens, 15);
}

TEST(ChatStream, SurvivesMembersOfEveryWrongType) {
  const std::vector<const char*> odd = {
      R"({"choices":null})",
      R"({"choices":[null,1,{"delta":7}]})",
      R"({"choices":[{"delta":{"content":5,"tool_calls":{"a":1}},"finish_reason":3}]})",
      R"({"choices":[{"delta":{"tool_calls":[null,{"index":-1},{"index":99999999}]}}]})",
      R"({"type":7})",
      R"({"type":"message_start","message":[]})",
      R"({"type":"content_block_delta","delta":{"type":"input_json_delta"}})",
      R"({"type":"message_delta","delta":null,"usage":"x"})",
      R"({"usage":{"prompt_tokens":"x"}})"};
  for (const auto kind :
       {ProviderKind::kOpenAi, ProviderKind::kOpenAiResponses, ProviderKind::kAnthropic}) {
    EXPECT_FALSE(read(kind, odd).stream->is_finished());
  }
}

struct End {
  std::string text;
  bool is_finished = false;
  bool has_error = false;
  auto operator<=>(const End&) const = default;
};

End decode_events(ProviderKind kind, std::string_view bytes, std::size_t piece) {
  SseDecoder decoder(1 << 20);
  const auto stream = make_chat_stream(kind);
  const auto on_event = [&](const SseEvent& event) {
    stream->read(event, [](const ChatDelta&) {});
  };
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (!decoder.feed(bytes.substr(at, piece), on_event)) return {};
  }
  if (!decoder.finish(on_event)) return {};
  return {stream->result().text, stream->is_finished(), stream->error().has_value()};
}

TEST(ChatStream, ComesToTheSameWhereverItsBytesAreCutAndWhateverTheyAre) {
  const std::pair<ProviderKind, std::string> recorded[] = {
      {ProviderKind::kOpenAi,
       ": ping\n\ndata: "
       "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"H\u00e9llo\"}}]}\r\n\r\n"
       "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
       "data: [DONE]\n\n"},
      {ProviderKind::kAnthropic,
       "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":"
       "\"text_delta\",\"text\":\"Hello\"}}\n\nevent: message_stop\n"
       "data: {\"type\":\"message_stop\"}\n\n"},
  };
  Random random(1);
  for (const auto& [kind, whole] : recorded) {
    EXPECT_TRUE(decode_events(kind, whole, 7).is_finished);
    for (int round = 0; round < 3000; ++round) {
      std::string bytes = whole.substr(0, random.below(whole.size() + 1));
      for (int i = 0; i < 3 && !bytes.empty(); ++i) {
        bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
      }
      const End at_once = decode_events(kind, bytes, bytes.size() + 1);
      EXPECT_EQ(decode_events(kind, bytes, 1 + random.below(9)), at_once) << bytes;
    }
  }
}

}  // namespace
}  // namespace filecall::worker::llm
