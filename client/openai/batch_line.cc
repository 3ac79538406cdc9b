// SPDX-License-Identifier: MIT
#include "client/openai/batch_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/result.h"
#include "client/openai/responses_body.h"

namespace filecall::client {
namespace {

using Mapped = Result<Json, std::string>;

constexpr std::array kChatMembers = {"model",
                                     "messages",
                                     "temperature",
                                     "top_p",
                                     "top_k",
                                     "stop",
                                     "frequency_penalty",
                                     "presence_penalty",
                                     "seed",
                                     "reasoning_effort",
                                     "tool_choice",
                                     "response_format",
                                     "tools",
                                     "parallel_tool_calls",
                                     "n",
                                     "logprobs",
                                     "top_logprobs"};
// Optional lists that mean the same empty as not given.
constexpr std::array kListMembers = {"stop", "tools"};

template <typename Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Messages as llm.chat takes them: members that say nothing are left out.
Json without_nulls(const Json& messages) {
  Json out = Json::array();
  for (const Json& message : messages) {
    Json kept = Json::object();
    if (!message.is_object()) return messages;
    for (const auto& [name, value] : message.items()) {
      const bool is_empty = value.is_null() || (value.is_array() && value.empty());
      if (!is_empty || name == "content") kept[name] = value;
    }
    out.push_back(std::move(kept));
  }
  return out;
}

bool is_known_format(const Json& format) {
  static constexpr std::array kTypes = {"text", "json_object", "json_schema"};
  if (!format.is_object() || !format.contains("type") || !format["type"].is_string()) return false;
  return is_one_of(kTypes, format["type"].get_ref<const std::string&>());
}

/// What every endpoint's body may say and a batch may not.
std::string common_problem(const Json& body) {
  if (!is_absent(body, "stream") && body["stream"] != false) {
    return "/body/stream: a batch does not stream; remove it";
  }
  return {};
}

Mapped chat_params(const Json& body) {
  const bool has_messages = body.contains("messages") && body["messages"].is_array();
  if (!has_messages || body["messages"].empty()) {
    return std::string("/body/messages: must be a list of messages");
  }
  Json params = Json::object();
  Json extra = Json::object();
  for (const auto& [name, value] : body.items()) {
    if (value.is_null() || name == "stream" || name == "stream_options") continue;
    const bool is_limit = name == "max_completion_tokens" || name == "max_tokens";
    if (is_one_of(kListMembers, name) && value.is_array() && value.empty()) continue;
    if (is_limit) {
      // The older name counts only alone.
      if (name == "max_completion_tokens" || !params.contains("max_tokens")) {
        params["max_tokens"] = value;
      }
    } else if (name == "messages") {
      params[name] = without_nulls(value);
    } else if (is_one_of(kChatMembers, name) &&
               (name != "response_format" || is_known_format(value))) {
      params[name] = value;
    } else {
      extra[name] = value;
    }
  }
  if (!extra.empty()) params["extra_body"] = std::move(extra);
  return params;
}

Mapped embed_params(const Json& body) {
  if (is_absent(body, "model") || is_absent(body, "input")) {
    return std::string("/body: an embedding needs a model and an input");
  }
  if (!is_absent(body, "encoding_format") && body["encoding_format"] != "float") {
    return std::string("/body/encoding_format: vectors come as numbers; remove it");
  }
  Json params = Json::object();
  Json extra = Json::object();
  for (const auto& [name, value] : body.items()) {
    if (value.is_null() || name == "encoding_format") continue;
    const bool is_known = name == "model" || name == "input" || name == "dimensions";
    (is_known ? params : extra)[name] = value;
  }
  if (!extra.empty()) params["extra_body"] = std::move(extra);
  return params;
}

/// "chat/completions" for "/v1/chat/completions" and for what servers without a version use.
std::string_view endpoint_of(std::string_view url) {
  for (const std::string_view prefix : {"/", "v1/"}) {
    if (url.starts_with(prefix)) url.remove_prefix(prefix.size());
  }
  return url;
}

Mapped map_body(OpenAiBatchLine& line, const Json& body) {
  const std::string_view endpoint = endpoint_of(line.url);
  const bool is_embedding = endpoint == "embeddings";
  line.command = is_embedding ? "llm.embed" : "llm.chat";
  if (!is_embedding && endpoint != "chat/completions" && endpoint != "responses") {
    return fmt::format(
        "/url: '{}' has no command; there are /v1/chat/completions, /v1/responses and "
        "/v1/embeddings",
        line.url);
  }
  if (std::string problem = common_problem(body); !problem.empty()) return problem;
  if (is_embedding) return embed_params(body);
  return endpoint == "responses" ? chat_params_of_responses(body) : chat_params(body);
}

}  // namespace

bool may_be_openai_batch_line(std::string_view text) {
  return text.find("\"custom_id\"") != std::string_view::npos;
}

bool is_openai_batch_line(const Json& object) {
  return object.is_object() && object.contains("custom_id") && !object.contains("command");
}

Result<OpenAiBatchLine, std::string> read_openai_batch_line(const Json& object) {
  if (!object.is_object()) return std::string("a line must be a JSON object");
  const auto text_of = [&](const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  OpenAiBatchLine line;
  line.custom_id = text_of("custom_id");
  line.url = text_of("url");
  if (line.custom_id.empty()) return std::string("/custom_id: is missing or not a string");
  if (line.url.empty()) return std::string("/url: is missing or not a string");
  if (object.contains("method") && text_of("method") != "POST") {
    return std::string("/method: must be POST");
  }
  const auto body = object.find("body");
  if (body == object.end() || !body->is_object()) {
    return std::string("/body: is missing or not an object");
  }
  Mapped mapped = map_body(line, *body);
  if (!mapped) return std::move(mapped).error();
  line.params = *std::move(mapped);
  line.params["raw"] = true;
  return line;
}

Json request_for(const OpenAiBatchLine& line) {
  Json metadata = {{"item", line.custom_id},
                   {"openai_batch", {{"custom_id", line.custom_id}, {"url", line.url}}}};
  if (const auto model = line.params.find("model"); model != line.params.end()) {
    metadata["model"] = *model;
  }
  return {{"command", line.command}, {"params", line.params}, {"metadata", std::move(metadata)}};
}

}  // namespace filecall::client
