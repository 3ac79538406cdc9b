// SPDX-License-Identifier: MIT
#include "worker/exec/llm/chat_types.h"

#include <utility>

#include "worker/exec/json_read.h"

namespace filecall::worker::llm {

std::string_view to_string(ProviderKind kind) {
  switch (kind) {
    case ProviderKind::kOpenAi:
      return "openai";
    case ProviderKind::kOpenAiResponses:
      return "openai-responses";
    case ProviderKind::kAnthropic:
      return "anthropic";
  }
  return "openai";
}

std::optional<ProviderKind> parse_provider_kind(std::string_view name) {
  for (const auto kind :
       {ProviderKind::kOpenAi, ProviderKind::kOpenAiResponses, ProviderKind::kAnthropic}) {
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

std::string_view to_string(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kToolCalls:
      return "tool_calls";
    case FinishReason::kContentFilter:
      return "content_filter";
    case FinishReason::kRefusal:
      return "refusal";
    case FinishReason::kUnknown:
      break;
  }
  return "unknown";
}

void add_logprobs(const Json& tokens, Json& to) {
  if (!tokens.is_array()) return;
  const auto read = [](const Json& from) {
    return Json{{"token", text_member(from, "token")}, {"logprob", member(from, "logprob")}};
  };
  if (to.is_null()) to = Json::array();
  for (const Json& token : tokens) {
    if (!member(token, "token").is_string() || !member(token, "logprob").is_number()) continue;
    Json read_token = read(token);
    Json others = Json::array();
    if (const Json& top = member(token, "top_logprobs"); top.is_array()) {
      for (const Json& other : top) others.push_back(read(other));
    }
    if (!others.empty()) read_token["top_logprobs"] = std::move(others);
    to.push_back(std::move(read_token));
  }
}

}  // namespace filecall::worker::llm
