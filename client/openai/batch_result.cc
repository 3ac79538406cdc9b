// SPDX-License-Identifier: MIT
#include "client/openai/batch_result.h"

#include <fmt/core.h>

#include <utility>

#include "base/hash.h"

namespace filecall::client {
namespace {

const Json& at(const Json& object, const char* name) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

std::string text_at(const Json& object, const char* name) {
  const Json& value = at(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t count_at(const Json& object, const char* name) {
  const Json& value = at(object, name);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

Json tool_calls(const Json& data) {
  Json out = Json::array();
  for (const Json& call : at(data, "tool_calls")) {
    const Json& arguments = at(call, "arguments");
    out.push_back({{"id", at(call, "id")},
                   {"type", "function"},
                   {"function",
                    {{"name", at(call, "name")},
                     {"arguments", arguments.is_string() ? arguments.get<std::string>()
                                                         : dump_json(arguments)}}}});
  }
  return out;
}

std::int64_t created_at(const Response& response) {
  if (!response.timing) return 0;
  return to_ms(response.timing->finished_at.time_since_epoch()) / 1000;
}

/// How the endpoints name the same counts.
Json usage_of(const Json& usage, const char* input, const char* output) {
  const std::int64_t in = count_at(usage, "input_tokens");
  const std::int64_t out = count_at(usage, "output_tokens");
  return {{input, in},
          {output, out},
          {"total_tokens", in + out},
          {fmt::format("{}_details", input),
           {{"cached_tokens", count_at(usage, "cached_input_tokens")}}},
          {fmt::format("{}_details", output),
           {{"reasoning_tokens", count_at(usage, "reasoning_tokens")}}}};
}

Json chat_completion(const Response& response) {
  const Json& data = response.data;
  Json message = {{"role", "assistant"}, {"content", at(data, "text")}, {"refusal", nullptr}};
  if (const Json calls = tool_calls(data); !calls.empty()) {
    message["tool_calls"] = calls;
    if (text_at(data, "text").empty()) message["content"] = nullptr;
  }
  if (data.contains("refusal")) message["refusal"] = data["refusal"];
  const std::string reason = text_at(data, "finish_reason");
  const bool is_known = reason == "length" || reason == "tool_calls" || reason == "content_filter";
  return {{"id", "chatcmpl-" + hash128(response.request_id).hex()},
          {"object", "chat.completion"},
          {"created", created_at(response)},
          {"model", at(data, "model")},
          {"choices", Json::array({{{"index", 0},
                                    {"message", std::move(message)},
                                    {"logprobs", nullptr},
                                    {"finish_reason", is_known ? reason : "stop"}}})},
          {"usage", usage_of(at(data, "usage"), "prompt_tokens", "completion_tokens")}};
}

Json response_object(const Response& response) {
  const Json& data = response.data;
  const std::string id = hash128(response.request_id).hex();
  Json output = Json::array();
  Json content = Json::array();
  if (const std::string text = text_at(data, "text"); !text.empty()) {
    content.push_back({{"type", "output_text"}, {"text", text}, {"annotations", Json::array()}});
  }
  if (data.contains("refusal")) {
    content.push_back({{"type", "refusal"}, {"refusal", data["refusal"]}});
  }
  if (!content.empty()) {
    output.push_back({{"id", "msg_" + id},
                      {"type", "message"},
                      {"role", "assistant"},
                      {"status", "completed"},
                      {"content", std::move(content)}});
  }
  for (const Json& call : tool_calls(data)) {
    output.push_back({{"type", "function_call"},
                      {"call_id", call["id"]},
                      {"name", call["function"]["name"]},
                      {"arguments", call["function"]["arguments"]},
                      {"status", "completed"}});
  }
  const std::string reason = text_at(data, "finish_reason");
  const bool is_cut = reason == "length" || reason == "content_filter";
  Json details;
  if (is_cut) details = {{"reason", reason == "length" ? "max_output_tokens" : reason}};
  return {{"id", "resp_" + id},
          {"object", "response"},
          {"created_at", created_at(response)},
          {"status", is_cut ? "incomplete" : "completed"},
          {"error", nullptr},
          {"incomplete_details", std::move(details)},
          {"model", at(data, "model")},
          {"output", std::move(output)},
          {"usage", usage_of(at(data, "usage"), "input_tokens", "output_tokens")}};
}

Json embedding_list(const Json& data) {
  Json list = Json::array();
  for (const Json& vector : at(data, "embeddings")) {
    list.push_back({{"object", "embedding"}, {"index", list.size()}, {"embedding", vector}});
  }
  const std::int64_t input = count_at(at(data, "usage"), "input_tokens");
  return {{"object", "list"},
          {"data", std::move(list)},
          {"model", at(data, "model")},
          {"usage", {{"prompt_tokens", input}, {"total_tokens", input}}}};
}

Json body_of(const Response& response, const std::string& url) {
  const Json& data = response.data;
  const Json& raw = at(data, "raw");
  if (at(data, "embeddings").is_array()) {
    return at(raw, "data").is_array() ? raw : embedding_list(data);
  }
  // Not an answer of a language model.
  if (!at(data, "finish_reason").is_string()) return data;
  if (url.ends_with("/responses")) {
    return at(raw, "output").is_array() ? raw : response_object(response);
  }
  return at(raw, "choices").is_array() ? raw : chat_completion(response);
}

}  // namespace

OpenAiBatchRef OpenAiBatchRef::of(const Json& metadata, const std::string& request_id) {
  const Json& line = at(metadata, "openai_batch");
  OpenAiBatchRef ref{text_at(line, "custom_id"), text_at(line, "url")};
  if (ref.custom_id.empty()) ref.custom_id = request_id;
  return ref;
}

Json openai_batch_result(const OpenAiBatchRef& ref, const Response& response) {
  Json line = {{"id", "batch_req_" + hash128(response.request_id).hex()},
               {"custom_id", ref.custom_id},
               {"response", nullptr},
               {"error", nullptr}};
  if (response.is_success()) {
    line["response"] = {{"status_code", 200},
                        {"request_id", text_at(response.data, "provider_request_id")},
                        {"body", body_of(response, ref.url)}};
    return line;
  }
  const Failure& failure = *response.failure;
  const Json& details = failure.details;
  const std::int64_t status = count_at(details, "http_status");
  if (status >= 300) {
    line["response"] = {{"status_code", status},
                        {"request_id", text_at(details, "provider_request_id")},
                        {"body",
                         {{"error",
                           {{"message", failure.message},
                            {"type", at(details, "provider_type")},
                            {"param", nullptr},
                            {"code", at(details, "provider_code")}}}}}};
    return line;
  }
  const std::string error_class = text_at(details, "class");
  line["error"] = {
      {"code", error_class.empty() ? std::string(to_string(failure.code)) : error_class},
      {"message", failure.message}};
  return line;
}

}  // namespace filecall::client
