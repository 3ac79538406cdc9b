// SPDX-License-Identifier: MIT
#include "worker/exec/llm/chat_types.h"

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

}  // namespace filecall::worker::llm
