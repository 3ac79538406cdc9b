// SPDX-License-Identifier: MIT
#include "client/openai/batch_result.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

const OpenAiBatchRef kChat{"c1", "/v1/chat/completions"};

Response success(Json data) {
  Response response;
  response.request_id = "r";
  response.data = std::move(data);
  return response;
}

const Json kAnswer = {
    {"text", "yes"},
    {"tool_calls", Json::array()},
    {"finish_reason", "stop"},
    {"model", "m-1"},
    {"provider_request_id", "req_9"},
    {"usage", {{"input_tokens", 7}, {"output_tokens", 2}, {"cached_input_tokens", 3}}}};

TEST(OpenAiBatchResult, HandsOnTheProvidersOwnBody) {
  Json data = kAnswer;
  data["raw"] = {{"choices", Json::array({1})}, {"anything", true}};
  const Json line = openai_batch_result(kChat, success(data));
  EXPECT_EQ(line["custom_id"], "c1");
  EXPECT_TRUE(line["id"].get<std::string>().starts_with("batch_req_"));
  EXPECT_EQ(line["response"]["status_code"], 200);
  EXPECT_EQ(line["response"]["request_id"], "req_9");
  EXPECT_EQ(line["response"]["body"], data["raw"]);
  EXPECT_TRUE(line["error"].is_null());
}

TEST(OpenAiBatchResult, MakesABodyOfTheEndpointsShapeWhenTheProvidersIsAnother) {
  Json data = kAnswer;
  data["raw"] = {{"type", "message"}, {"content", Json::array()}};
  const Json chat = openai_batch_result(kChat, success(data))["response"]["body"];
  EXPECT_EQ(chat["object"], "chat.completion");
  EXPECT_EQ(chat["choices"][0]["message"]["content"], "yes");
  EXPECT_EQ(chat["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(chat["usage"]["prompt_tokens"], 7);
  EXPECT_EQ(chat["usage"]["total_tokens"], 9);
  EXPECT_EQ(chat["usage"]["prompt_tokens_details"]["cached_tokens"], 3);

  data["finish_reason"] = "length";
  const Json response =
      openai_batch_result({"c1", "/v1/responses"}, success(data))["response"]["body"];
  EXPECT_EQ(response["status"], "incomplete");
  EXPECT_EQ(response["incomplete_details"]["reason"], "max_output_tokens");
  EXPECT_EQ(response["output"][0]["content"][0]["text"], "yes");
  EXPECT_EQ(response["usage"]["input_tokens"], 7);
}

TEST(OpenAiBatchResult, ToolCallsAreTextsAgain) {
  Json data = kAnswer;
  data["text"] = "";
  data["finish_reason"] = "tool_calls";
  data["tool_calls"] = Json::array({{{"id", "1"}, {"name", "f"}, {"arguments", {{"a", 1}}}}});
  const Json chat = openai_batch_result(kChat, success(data))["response"]["body"];
  const Json& message = chat["choices"][0]["message"];
  EXPECT_TRUE(message["content"].is_null());
  EXPECT_EQ(message["tool_calls"][0]["function"]["arguments"], R"({"a":1})");
  EXPECT_EQ(chat["choices"][0]["finish_reason"], "tool_calls");
}

TEST(OpenAiBatchResult, EmbeddingsAreAList) {
  const Json body = openai_batch_result(
      {"c", "/v1/embeddings"},
      success({{"embeddings", {{0.5, 1.0}, {2.0, 3.0}}}, {"model", "e"}}))["response"]["body"];
  EXPECT_EQ(body["object"], "list");
  EXPECT_EQ(body["data"][1]["index"], 1);
  EXPECT_EQ(body["data"][1]["embedding"], Json({2.0, 3.0}));
}

TEST(OpenAiBatchResult, AFailureWithAStatusIsAResponseAndOneWithoutIsAnError) {
  Response failed;
  failed.request_id = "r";
  failed.failure.emplace();
  failed.failure->code = ErrorCode::kResourceExhausted;
  failed.failure->message = "slow down";
  failed.failure->details = {{"http_status", 429},
                             {"class", "rate_limited"},
                             {"provider_code", "rate_limit_exceeded"},
                             {"provider_type", "requests"}};
  const Json answered = openai_batch_result(kChat, failed);
  EXPECT_TRUE(answered["error"].is_null());
  EXPECT_EQ(answered["response"]["status_code"], 429);
  EXPECT_EQ(answered["response"]["body"]["error"]["code"], "rate_limit_exceeded");
  EXPECT_EQ(answered["response"]["body"]["error"]["message"], "slow down");

  failed.failure->details = {{"class", "timeout_idle"}};
  const Json silent = openai_batch_result(kChat, failed);
  EXPECT_TRUE(silent["response"].is_null());
  EXPECT_EQ(silent["error"], Json({{"code", "timeout_idle"}, {"message", "slow down"}}));
  failed.failure->details = nullptr;
  EXPECT_EQ(openai_batch_result(kChat, failed)["error"]["code"], "resource_exhausted");
}

TEST(OpenAiBatchResult, ARequestOfAnotherOriginIsNamedByItsId) {
  EXPECT_EQ(OpenAiBatchRef::of(nullptr, "r").custom_id, "r");
  const Json metadata = {{"openai_batch", {{"custom_id", "c"}, {"url", "/v1/embeddings"}}}};
  EXPECT_EQ(OpenAiBatchRef::of(metadata, "r").custom_id, "c");
  EXPECT_EQ(OpenAiBatchRef::of(metadata, "r").url, "/v1/embeddings");
}

}  // namespace
}  // namespace filecall::client
