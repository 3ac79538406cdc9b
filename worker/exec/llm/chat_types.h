// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"

namespace filecall::worker::llm {

/// The wire format that a provider speaks.
enum class ProviderKind : std::uint8_t {
  kOpenAi,           ///< Chat Completions: POST {base}/chat/completions
  kOpenAiResponses,  ///< POST {base}/responses
  kAnthropic,        ///< Messages: POST {base}/v1/messages
};
std::string_view to_string(ProviderKind kind);
std::optional<ProviderKind> parse_provider_kind(std::string_view name);

/// Why a model stopped, one vocabulary for all providers.
enum class FinishReason : std::uint8_t {
  kStop,
  kLength,
  kToolCalls,
  kContentFilter,
  kRefusal,
  kUnknown,
};
std::string_view to_string(FinishReason reason);

struct ChatToolCall {
  std::string id;
  std::string name;
  std::string arguments;  ///< The text that the model wrote; should be JSON, and may not be.
};

/// Tokens as the provider counts them; absent when it does not say. `input` includes what was
/// cached, also where the provider counts it apart.
struct Usage {
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  std::optional<std::int64_t> cached_input_tokens;
  std::optional<std::int64_t> reasoning_tokens;

  bool is_known() const { return input_tokens || output_tokens; }
};

/// One answer of a model, whatever provider serves it.
struct ChatChoice {
  std::string text;
  std::string reasoning;
  std::string refusal;
  std::vector<ChatToolCall> tool_calls;
  FinishReason finish_reason = FinishReason::kUnknown;
  Json logprobs;  ///< Null, or an array of {token, logprob, top_logprobs}.
};

/// The whole of it: the first choice, and what belongs to all.
struct ChatResult : ChatChoice {
  std::vector<ChatChoice> others;  ///< After the first, when several were asked for.
  Usage usage;
  std::string model;  ///< The one that served, which may be another than was asked for.
  std::string id;
  std::string fingerprint;
};

/// Appends a provider's list of tokens to `to`, which is null or an array. Members that are no
/// tokens and numbers are left out.
void add_logprobs(const Json& tokens, Json& to);

/// A piece of a streamed answer.
struct ChatDelta {
  enum class Kind : std::uint8_t { kText, kReasoning, kRefusal, kToolCall };
  Kind kind = Kind::kText;
  std::string text;      ///< Of a tool call: a fragment of its arguments.
  std::size_t call = 0;  ///< Which tool call.
};

}  // namespace filecall::worker::llm
