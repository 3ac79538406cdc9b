// SPDX-License-Identifier: MIT
#include "client/openai/batch_line.h"

#include <gmock/gmock.h>

namespace filecall::client {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Json line_with(const char* url, const Json& body) {
  return {{"custom_id", "c1"}, {"method", "POST"}, {"url", url}, {"body", body}};
}

OpenAiBatchLine read(const Json& object) {
  auto line = read_openai_batch_line(object);
  if (!line) {
    ADD_FAILURE() << object << ": " << line.error();
    return {};
  }
  return *line;
}

std::string problem_of(const Json& object) {
  const auto line = read_openai_batch_line(object);
  return line ? "" : line.error();
}

const Json kMessages = Json::array({{{"role", "user"}, {"content", "hi"}}});

TEST(OpenAiBatchLine, IsToldByItsShape) {
  EXPECT_TRUE(is_openai_batch_line(line_with("/v1/responses", Json::object())));
  EXPECT_TRUE(may_be_openai_batch_line(R"({"custom_id": "a"})"));
  EXPECT_FALSE(may_be_openai_batch_line(R"({"command": "system.echo"})"));
  EXPECT_FALSE(is_openai_batch_line({{"custom_id", "a"}, {"command", "system.echo"}}));
  EXPECT_FALSE(is_openai_batch_line(Json::array({"custom_id"})));
}

TEST(OpenAiBatchLine, ChatBodiesKeepWhatTheCommandKnowsAndPassOnTheRest) {
  struct Row {
    Json body;
    Json params;  // Beside messages and raw.
  };
  const Row rows[] = {
      {{{"model", "m"}, {"temperature", 0}}, {{"model", "m"}, {"temperature", 0}}},
      {{{"max_completion_tokens", 5}, {"max_tokens", 9}}, {{"max_tokens", 5}}},
      {{{"max_tokens", 9}}, {{"max_tokens", 9}}},
      {{{"logprobs", true}, {"user", "u"}}, {{"logprobs", true}, {"extra_body", {{"user", "u"}}}}},
      {{{"n", 1}, {"stream", false}, {"seed", nullptr}}, {{"n", 1}}},
      {{{"stop", Json::array()}, {"tools", Json::array()}}, Json::object()},
      {{{"response_format", {{"type", "json_object"}}}},
       {{"response_format", {{"type", "json_object"}}}}},
      {{{"response_format", {{"type", "grammar"}}}},
       {{"extra_body", {{"response_format", {{"type", "grammar"}}}}}}},
  };
  for (Row row : rows) {
    row.body["messages"] = kMessages;
    row.params["messages"] = kMessages;
    row.params["raw"] = true;
    const OpenAiBatchLine line = read(line_with("/v1/chat/completions", row.body));
    EXPECT_EQ(line.command, "llm.chat");
    EXPECT_EQ(line.params, row.params);
  }
}

TEST(OpenAiBatchLine, MessagesLoseOnlyMembersThatSayNothing) {
  const Json messages = Json::array(
      {{{"role", "assistant"},
        {"content", nullptr},
        {"audio", nullptr},
        {"annotations", Json::array()}},
       {{"role", "user"}, {"content", Json::array({{{"type", "text"}, {"text", "x"}}})}}});
  const auto line = read(line_with("/chat/completions", {{"messages", messages}}));
  EXPECT_EQ(line.params["messages"][0], Json({{"role", "assistant"}, {"content", nullptr}}));
  EXPECT_EQ(line.params["messages"][1], messages[1]);
}

TEST(OpenAiBatchLine, EmbeddingsAskForVectors) {
  const auto line = read(line_with(
      "/v1/embeddings",
      {{"model", "e"}, {"input", {"a", "b"}}, {"encoding_format", "float"}, {"user", "u"}}));
  EXPECT_EQ(line.command, "llm.embed");
  EXPECT_EQ(
      line.params,
      Json(
          {{"model", "e"}, {"input", {"a", "b"}}, {"extra_body", {{"user", "u"}}}, {"raw", true}}));
}

TEST(OpenAiBatchLine, ResponsesBodiesGoAsTheyAre) {
  const Json body = {{"model", "m"},
                     {"input", Json::array({{{"type", "item_reference"}, {"id", "i"}}})},
                     {"previous_response_id", "r"},
                     {"tools", Json::array({{{"type", "web_search"}}})},
                     {"temperature", nullptr},
                     {"store", true}};
  Json said = body;
  said.erase("model");
  Json streamed = body;
  streamed["stream"] = false;
  streamed["background"] = false;
  for (const Json& each : {body, streamed}) {
    EXPECT_EQ(read(line_with("/v1/responses", each)).params,
              Json({{"model", "m"}, {"responses_body", said}, {"raw", true}}));
  }
}

TEST(OpenAiBatchLine, ChoicesAndLogProbabilitiesAreParams) {
  const Json line = {{"messages", kMessages}, {"n", 3}, {"logprobs", true}, {"top_logprobs", 2}};
  Json params = line;
  params["raw"] = true;
  EXPECT_EQ(read(line_with("/v1/chat/completions", line)).params, params);
}

TEST(OpenAiBatchLine, SaysWhatCannotBeAsked) {
  const Json no_body = {{"custom_id", "a"}, {"url", "/v1/responses"}};
  const std::pair<Json, const char*> rows[] = {
      {Json::array(), "a line must be"},
      {{{"custom_id", 7}}, "/custom_id"},
      {{{"custom_id", "a"}}, "/url"},
      {no_body, "/body"},
      {{{"custom_id", "a"}, {"url", "/v1/responses"}, {"method", "GET"}}, "/method"},
      {line_with("/v1/moderations", {{"input", "x"}}), "/url: '/v1/moderations'"},
      {line_with("/v1/chat/completions", {{"model", "m"}}), "/body/messages"},
      {line_with("/v1/chat/completions", {{"messages", kMessages}, {"stream", true}}),
       "/body/stream"},
      {line_with("/v1/embeddings", {{"input", "x"}}), "/body"},
      {line_with("/v1/embeddings", {{"model", "m"}, {"input", "x"}, {"encoding_format", "base64"}}),
       "/body/encoding_format"},
      {line_with("/v1/responses", {{"model", "m"}}), "/body/input"},
      {line_with("/v1/responses", {{"input", "x"}, {"background", true}}), "/body/background"},
  };
  for (const auto& [object, expected] : rows) {
    EXPECT_THAT(problem_of(object), StartsWith(expected)) << object;
  }
}

TEST(OpenAiBatchLine, TheRequestKnowsWhereItCameFrom) {
  const Json request = request_for(
      read(line_with("/v1/chat/completions", {{"model", "m"}, {"messages", kMessages}})));
  EXPECT_FALSE(request.contains("request_id"));
  EXPECT_EQ(request["metadata"],
            Json({{"item", "c1"},
                  {"model", "m"},
                  {"openai_batch", {{"custom_id", "c1"}, {"url", "/v1/chat/completions"}}}}));
}

}  // namespace
}  // namespace filecall::client
