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
      {{{"logprobs", true}, {"user", "u"}}, {{"extra_body", {{"logprobs", true}, {"user", "u"}}}}},
      {{{"n", 1}, {"stream", false}, {"seed", nullptr}}, Json::object()},
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

TEST(OpenAiBatchLine, ResponsesBodiesBecomeConversations) {
  struct Row {
    Json body;
    Json params;  // Beside raw.
  };
  const Json call = {
      {"type", "function_call"}, {"call_id", "1"}, {"name", "f"}, {"arguments", "{}"}};
  const Json schema = {{"type", "object"}};
  const Row rows[] = {
      {{{"input", "hi"}, {"instructions", "be brief"}, {"max_output_tokens", 3}, {"store", true}},
       {{"prompt", "hi"}, {"system", "be brief"}, {"max_tokens", 3}}},
      {{{"input",
         {{{"role", "user"},
           {"content",
            {{{"type", "input_text"}, {"text", "see"}},
             {{"type", "input_image"}, {"image_url", "data:x"}, {"detail", "low"}}}}}}}},
       {{"messages",
         {{{"role", "user"},
           {"content",
            {{{"type", "text"}, {"text", "see"}},
             {{"type", "image_url"}, {"image_url", {{"url", "data:x"}, {"detail", "low"}}}}}}}}}}},
      {{{"input",
         {call, call, {{"type", "function_call_output"}, {"call_id", "1"}, {"output", "2"}}}}},
       {{"messages",
         {{{"role", "assistant"},
           {"content", nullptr},
           {"tool_calls",
            {{{"id", "1"},
              {"type", "function"},
              {"function", {{"name", "f"}, {"arguments", "{}"}}}},
             {{"id", "1"},
              {"type", "function"},
              {"function", {{"name", "f"}, {"arguments", "{}"}}}}}}},
          {{"role", "tool"}, {"tool_call_id", "1"}, {"content", "2"}}}}}},
      {{{"input", "hi"},
        {"text", {{"format", {{"type", "json_schema"}, {"name", "n"}, {"schema", schema}}}}},
        {"reasoning", {{"effort", "low"}}}},
       {{"prompt", "hi"},
        {"reasoning_effort", "low"},
        {"response_format",
         {{"type", "json_schema"}, {"json_schema", {{"name", "n"}, {"schema", schema}}}}}}},
      {{{"input", "hi"},
        {"tools", Json::array({{{"type", "web_search"}}})},
        {"truncation", "auto"}},
       {{"prompt", "hi"},
        {"extra_body",
         {{"tools", Json::array({{{"type", "web_search"}}})}, {"truncation", "auto"}}}}},
  };
  for (Row row : rows) {
    row.params["raw"] = true;
    EXPECT_EQ(read(line_with("/v1/responses", row.body)).params, row.params);
  }
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
      {line_with("/v1/chat/completions", {{"messages", kMessages}, {"n", 2}}), "/body/n"},
      {line_with("/v1/chat/completions", {{"messages", kMessages}, {"stream", true}}),
       "/body/stream"},
      {line_with("/v1/embeddings", {{"input", "x"}}), "/body"},
      {line_with("/v1/embeddings", {{"model", "m"}, {"input", "x"}, {"encoding_format", "base64"}}),
       "/body/encoding_format"},
      {line_with("/v1/responses", {{"input", Json::array()}}), "/body/input"},
      {line_with("/v1/responses", {{"input", "x"}, {"previous_response_id", "r"}}),
       "/body/previous_response_id"},
      {line_with("/v1/responses", {{"input", Json::array({{{"type", "item_reference"}}})}}),
       "/body/input/0: an item of type 'item_reference'"},
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
