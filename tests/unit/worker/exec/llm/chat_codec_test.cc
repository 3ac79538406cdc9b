// SPDX-License-Identifier: MIT
#include "worker/exec/llm/chat_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "worker/exec/llm/error_table.h"

namespace filecall::worker::llm {
namespace {

using testing::HasSubstr;

Dialect dialect(ProviderKind kind, std::string_view profile) {
  return {kind, find_profile(profile), 4096};
}
const Dialect kOpenAi = dialect(ProviderKind::kOpenAi, "openai");
const Dialect kResponses = dialect(ProviderKind::kOpenAiResponses, "openai");
const Dialect kAnthropic = dialect(ProviderKind::kAnthropic, "anthropic");

/// The body that params become, or the failure's message.
std::string encode(const char* params, const Dialect& to) {
  auto parsed = parse_chat_params(Json::parse(params));
  if (!parsed) return parsed.error().message;
  auto body = encode_chat(*parsed, to);
  const auto refused = refuse_chat(*parsed, to);
  EXPECT_EQ(refused ? refused->message : "", body ? "" : body.error().message) << params;
  if (!body) return body.error().message;
  return body->dump();
}

void expect_body(const char* params, const Dialect& to, const char* expected) {
  EXPECT_EQ(encode(params, to), Json::parse(expected).dump()) << params;
}

const char* const kToolTurn = R"({"model":"m","messages":[
  {"role":"system","content":"be short"},
  {"role":"user","content":[{"type":"text","text":"what is this?"},
    {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}}]},
  {"role":"assistant","content":null,"tool_calls":[
    {"id":"c1","type":"function","function":{"name":"look","arguments":"{\"x\":1}"}},
    {"id":"c2","name":"see","arguments":{"y":2}}]},
  {"role":"tool","tool_call_id":"c1","content":"a cat"},
  {"role":"tool","tool_call_id":"c2","content":"a dog"}]})";

TEST(EncodeChat, SpeaksChatCompletions) {
  expect_body(R"({"model":"m","prompt":"hi","system":"be short","max_tokens":5,"stop":"END",
    "temperature":0.5,"top_p":0.9,"seed":7,"reasoning_effort":"low","stream":true})",
              kOpenAi, R"({"model":"m","messages":[{"role":"system","content":"be short"},
    {"role":"user","content":"hi"}],"max_completion_tokens":5,"stop":["END"],"temperature":0.5,
    "top_p":0.9,"seed":7,"reasoning_effort":"low","stream":true,
    "stream_options":{"include_usage":true,"include_obfuscation":false}})");
  expect_body(kToolTurn, kOpenAi, R"({"model":"m","messages":[
  {"role":"system","content":"be short"},
  {"role":"user","content":[{"type":"text","text":"what is this?"},
    {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}}]},
  {"role":"assistant","content":null,"tool_calls":[
    {"id":"c1","type":"function","function":{"name":"look","arguments":"{\"x\":1}"}},
    {"id":"c2","type":"function","function":{"name":"see","arguments":"{\"y\":2}"}}]},
  {"role":"tool","tool_call_id":"c1","content":"a cat"},
  {"role":"tool","tool_call_id":"c2","content":"a dog"}]})");
  expect_body(R"({"model":"m","prompt":"hi","tools":[{"type":"function","function":{"name":"f",
    "description":"d","parameters":{"type":"object"},"strict":true}}],"tool_choice":"required",
    "parallel_tool_calls":false,"response_format":{"type":"json_schema","json_schema":{"name":"n",
    "schema":{"type":"object"},"strict":true}}})",
              kOpenAi, R"({"model":"m","messages":[{"role":"user","content":"hi"}],
    "tools":[{"type":"function","function":{"name":"f","description":"d",
    "parameters":{"type":"object"},"strict":true}}],"tool_choice":"required",
    "parallel_tool_calls":false,"response_format":{"type":"json_schema","json_schema":{"name":"n",
    "schema":{"type":"object"},"strict":true}}})");
}

TEST(EncodeChat, SpeaksResponses) {
  expect_body(R"({"model":"m","prompt":"hi","max_tokens":5,"reasoning_effort":"low","stream":true,
    "response_format":{"type":"json_object"},"tools":[{"name":"f"}],
    "tool_choice":{"type":"function","function":{"name":"f"}}})",
              kResponses, R"({"model":"m","store":false,"input":[{"type":"message","role":"user",
    "content":[{"type":"input_text","text":"hi"}]}],"max_output_tokens":5,
    "reasoning":{"effort":"low"},"text":{"format":{"type":"json_object"}},"stream":true,
    "tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"function","name":"f"}})");
  expect_body(kToolTurn, kResponses, R"({"model":"m","store":false,"input":[
  {"type":"message","role":"system","content":[{"type":"input_text","text":"be short"}]},
  {"type":"message","role":"user","content":[{"type":"input_text","text":"what is this?"},
    {"type":"input_image","image_url":"data:image/png;base64,AAAA","detail":"low"}]},
  {"type":"function_call","call_id":"c1","name":"look","arguments":"{\"x\":1}"},
  {"type":"function_call","call_id":"c2","name":"see","arguments":"{\"y\":2}"},
  {"type":"function_call_output","call_id":"c1","output":"a cat"},
  {"type":"function_call_output","call_id":"c2","output":"a dog"}]})");
}

TEST(EncodeChat, SpeaksMessages) {
  expect_body(R"({"model":"m","prompt":"hi","system":"be short","stop":["A","B"],"top_k":3,
    "reasoning_effort":"low","stream":true,"tools":[{"name":"f","description":"d"}],
    "tool_choice":"required","parallel_tool_calls":false,
    "response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object"}}}})",
              kAnthropic, R"({"model":"m","max_tokens":4096,"system":"be short","messages":[
    {"role":"user","content":[{"type":"text","text":"hi"}]}],"stop_sequences":["A","B"],"top_k":3,
    "output_config":{"effort":"low","format":{"type":"json_schema","schema":{"type":"object"}}},
    "stream":true,"tools":[{"name":"f","description":"d","input_schema":{"type":"object"}}],
    "tool_choice":{"type":"any","disable_parallel_tool_use":true}})");
  expect_body(kToolTurn, kAnthropic, R"({"model":"m","max_tokens":4096,"system":"be short",
  "messages":[{"role":"user","content":[{"type":"text","text":"what is this?"},
    {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},
  {"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"look","input":{"x":1}},
    {"type":"tool_use","id":"c2","name":"see","input":{"y":2}}]},
  {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[
    {"type":"text","text":"a cat"}]},{"type":"tool_result","tool_use_id":"c2","content":[
    {"type":"text","text":"a dog"}]}]}]})");
}

TEST(EncodeChat, RefusesWhatAProviderCannotBeTold) {
  const Dialect ollama = dialect(ProviderKind::kOpenAi, "ollama");
  EXPECT_THAT(encode(R"({"model":"m","prompt":"p","seed":1})", kAnthropic),
              HasSubstr("/params/seed: a provider of kind anthropic and profile anthropic"));
  EXPECT_THAT(encode(R"({"model":"m","prompt":"p","stop":"x"})", kResponses), HasSubstr("/stop"));
  EXPECT_THAT(encode(R"({"model":"m","prompt":"p","top_k":1})", kOpenAi), HasSubstr("/top_k"));
  EXPECT_THAT(
      encode(R"({"model":"m","prompt":"p","tools":[{"name":"f"}],"tool_choice":"none"})", ollama),
      HasSubstr("/tool_choice"));
  EXPECT_THAT(encode(R"({"model":"m","messages":[{"role":"user","content":[{"type":"image_url",
                     "image_url":"https://x/y.png"}]}]})",
                     ollama),
              HasSubstr("only as data: URIs"));
  EXPECT_THAT(
      encode(R"({"model":"m","prompt":"p","response_format":{"type":"json_object"}})", kAnthropic),
      HasSubstr("give the schema"));
  EXPECT_THAT(encode(R"({"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a",
                     "name":"f","arguments":"not json"}]}]})",
                     kAnthropic),
              HasSubstr("not a JSON object"));
}

TEST(EncodeChat, UsesTheFieldsOfTheProfile) {
  const char* params = R"({"model":"m","max_tokens":5,"stream":true,
    "messages":[{"role":"developer","content":"d"}]})";
  expect_body(params, dialect(ProviderKind::kOpenAi, "vllm"),
              R"({"model":"m","max_tokens":5,"messages":[{"role":"system","content":"d"}],
                  "stream":true,"stream_options":{"include_usage":true}})");
}

TEST(ParseChatParams, RefusesMessagesThatDoNotHoldTogether) {
  EXPECT_THAT(encode(R"({"messages":[{"role":"tool","content":"x"}]})", kOpenAi),
              HasSubstr("/params/messages/0: a tool's message needs the tool_call_id"));
  EXPECT_THAT(encode(R"({"messages":[{"role":"user"}]})", kOpenAi), HasSubstr("needs content"));
  EXPECT_THAT(encode(R"({"messages":[{"role":"user","content":"x","tool_calls":[{"id":"1",
                     "name":"f"}]}]})",
                     kOpenAi),
              HasSubstr("only an assistant's"));
  EXPECT_THAT(encode(R"({"prompt":"p","tool_choice":"auto"})", kOpenAi), HasSubstr("no tools"));
  EXPECT_THAT(encode(R"({"prompt":"p","extra_body":{"n":2}})", kOpenAi),
              HasSubstr("/extra_body/n"));
  EXPECT_THAT(encode(R"({"prompt":"p","response_format":{"type":"json_schema"}})", kOpenAi),
              HasSubstr("needs a schema"));
}

ChatResult decode(ProviderKind kind, const char* body) {
  auto decoded = decode_chat(kind, Json::parse(body));
  if (!decoded) ADD_FAILURE() << decoded.error().message;
  return decoded ? *decoded : ChatResult();
}

TEST(DecodeChat, ReadsChatCompletions) {
  const ChatResult result = decode(ProviderKind::kOpenAi, R"({"id":"chatcmpl-B9","object":
    "chat.completion","created":1741569952,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,
    "message":{"role":"assistant","content":"Hello!","refusal":null,"annotations":[]},"logprobs":
    null,"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":
    29,"prompt_tokens_details":{"cached_tokens":4,"audio_tokens":0},"completion_tokens_details":
    {"reasoning_tokens":6}},"service_tier":"default","system_fingerprint":"fp_1"})");
  EXPECT_EQ(result.text, "Hello!");
  EXPECT_EQ(result.finish_reason, FinishReason::kStop);
  EXPECT_EQ(result.usage.input_tokens, 19);
  EXPECT_EQ(result.usage.output_tokens, 10);
  EXPECT_EQ(result.usage.cached_input_tokens, 4);
  EXPECT_EQ(result.usage.reasoning_tokens, 6);
  EXPECT_EQ(result.model, "gpt-4.1-2025-04-14");
  EXPECT_EQ(result.fingerprint, "fp_1");
}

TEST(DecodeChat, ReadsWhatImitatorsDoDifferently) {
  const ChatResult llamacpp = decode(ProviderKind::kOpenAi, R"({"choices":[{"finish_reason":"stop",
    "message":{"role":"assistant","reasoning_content":"hm","content":"x"}}],"timings":{}})");
  EXPECT_EQ(llamacpp.reasoning, "hm");
  const ChatResult ollama = decode(ProviderKind::kOpenAi, R"({"choices":[{"finish_reason":"stop",
    "message":{"reasoning":"hm","content":null,"tool_calls":[{"id":"c","function":{"name":"f",
    "arguments":"{}"}}]}}],"usage":null})");
  EXPECT_EQ(ollama.reasoning, "hm");
  EXPECT_EQ(ollama.finish_reason, FinishReason::kToolCalls);
  EXPECT_FALSE(ollama.usage.is_known());
  EXPECT_EQ(decode(ProviderKind::kOpenAi, R"({"choices":[{"message":{"content":[{"type":"text",
    "text":"a"},{"type":"text","text":"b"}]},"finish_reason":null}]})")
                .text,
            "ab");
}

TEST(DecodeChat, MapsEveryFinishReason) {
  const auto of_chat = [](const std::string& reason) {
    return decode(ProviderKind::kOpenAi,
                  (R"({"choices":[{"message":{"content":"x"},"finish_reason":")" + reason + "\"}]}")
                      .c_str())
        .finish_reason;
  };
  EXPECT_EQ(of_chat("length"), FinishReason::kLength);
  EXPECT_EQ(of_chat("tool_calls"), FinishReason::kToolCalls);
  EXPECT_EQ(of_chat("function_call"), FinishReason::kToolCalls);
  EXPECT_EQ(of_chat("content_filter"), FinishReason::kContentFilter);
  EXPECT_EQ(of_chat("whatever"), FinishReason::kUnknown);
  EXPECT_EQ(decode(ProviderKind::kOpenAi, R"({"choices":[{"message":{"content":null,"refusal":
            "no"},"finish_reason":"stop"}]})")
                .finish_reason,
            FinishReason::kRefusal);
  const std::pair<const char*, FinishReason> of_messages[] = {
      {"end_turn", FinishReason::kStop},
      {"stop_sequence", FinishReason::kStop},
      {"max_tokens", FinishReason::kLength},
      {"tool_use", FinishReason::kToolCalls},
      {"refusal", FinishReason::kRefusal},
      {"pause_turn", FinishReason::kUnknown},
      {"model_context_window_exceeded", FinishReason::kLength}};
  for (const auto& [reason, expected] : of_messages) {
    const std::string body =
        std::string(R"({"content":[{"type":"text","text":"x"}],"stop_reason":")") + reason + "\"}";
    EXPECT_EQ(decode(ProviderKind::kAnthropic, body.c_str()).finish_reason, expected) << reason;
  }
  const auto of_responses = [](const char* rest) {
    return decode(ProviderKind::kOpenAiResponses,
                  (std::string(R"({"output":[],)") + rest + "}").c_str())
        .finish_reason;
  };
  EXPECT_EQ(of_responses(R"("status":"completed")"), FinishReason::kStop);
  EXPECT_EQ(
      of_responses(R"("status":"incomplete","incomplete_details":{"reason":"max_output_tokens"})"),
      FinishReason::kLength);
  EXPECT_EQ(
      of_responses(R"("status":"incomplete","incomplete_details":{"reason":"content_filter"})"),
      FinishReason::kContentFilter);
}

TEST(DecodeChat, ReadsResponses) {
  const ChatResult result = decode(ProviderKind::kOpenAiResponses, R"({"id":"resp_1","object":
    "response","status":"completed","error":null,"incomplete_details":null,"model":"gpt-5",
    "output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},
    {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]},
    {"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}],
    "usage":{"input_tokens":36,"input_tokens_details":{"cached_tokens":5},"output_tokens":87,
    "output_tokens_details":{"reasoning_tokens":60},"total_tokens":123}})");
  EXPECT_EQ(result.text, "Hi");
  EXPECT_EQ(result.reasoning, "hm");
  ASSERT_EQ(result.tool_calls.size(), 1u);
  EXPECT_EQ(result.tool_calls[0].id, "c1");
  EXPECT_EQ(result.finish_reason, FinishReason::kToolCalls);
  EXPECT_EQ(result.usage.cached_input_tokens, 5);
  EXPECT_EQ(result.usage.reasoning_tokens, 60);
}

TEST(DecodeChat, ReadsMessagesAndSumsTheirInput) {
  const ChatResult result = decode(ProviderKind::kAnthropic, R"({"id":"msg_1","type":"message",
    "role":"assistant","model":"claude-x","content":[{"type":"thinking","thinking":"hm","signature":
    "s"},{"type":"text","text":"Hi"},{"type":"tool_use","id":"c1","name":"f","input":{"a":1}}],
    "stop_reason":"tool_use","usage":{"input_tokens":10,"cache_creation_input_tokens":20,
    "cache_read_input_tokens":30,"output_tokens":5}})");
  EXPECT_EQ(result.text, "Hi");
  EXPECT_EQ(result.reasoning, "hm");
  EXPECT_EQ(result.tool_calls[0].arguments, "{\"a\":1}");
  EXPECT_EQ(result.usage.input_tokens, 60);
  EXPECT_EQ(result.usage.cached_input_tokens, 30);
  EXPECT_EQ(result.usage.output_tokens, 5);
}

TEST(DecodeChat, TakesNothingForAnAnswerThatIsNone) {
  const std::pair<ProviderKind, const char*> cases[] = {
      {ProviderKind::kOpenAi, R"({"choices":[]})"},
      {ProviderKind::kOpenAi, R"({})"},
      {ProviderKind::kOpenAi, R"([1])"},
      {ProviderKind::kOpenAi, R"({"choices":[{"finish_reason":"stop"}]})"},
      {ProviderKind::kOpenAi, R"({"choices":"x"})"},
      {ProviderKind::kOpenAiResponses, R"({"status":"queued","output":[]})"},
      {ProviderKind::kOpenAiResponses, R"({"status":"completed"})"},
      {ProviderKind::kAnthropic, R"({"type":"message"})"},
  };
  for (const auto& [kind, body] : cases) {
    const auto decoded = decode_chat(kind, Json::parse(body));
    ASSERT_FALSE(decoded) << body;
    EXPECT_EQ(to_string(judge(decoded.error(), {}, {}).error_class), "bad_response");
  }
}

}  // namespace
}  // namespace filecall::worker::llm
