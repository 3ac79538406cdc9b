// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/response.h"
#include "worker/exec/llm/chat_types.h"

namespace filecall::worker::llm {

enum class Role : std::uint8_t { kSystem, kDeveloper, kUser, kAssistant, kTool };
std::string_view to_string(Role role);

struct ContentPart {
  enum class Kind : std::uint8_t { kText, kImage, kOther };
  Kind kind = Kind::kText;
  std::string text;
  std::string url;     ///< Of an image: http(s) or a data URI.
  std::string detail;  ///< Of an image: low, high, auto; or empty.
  Json other;          ///< A part of another type, for providers whose format it is.

  static ContentPart of_text(std::string text);
};

struct ChatMessage {
  Role role = Role::kUser;
  std::vector<ContentPart> parts;
  std::vector<ChatToolCall> tool_calls;  ///< Of an assistant's message.
  std::string tool_call_id;              ///< Of a tool's message.
  std::string name;

  /// Its text parts, one after the other.
  std::string text() const;
  static ChatMessage of_text(Role role, std::string text);
};

struct ToolSpec {
  std::string name;
  std::string description;
  Json parameters;  ///< JSON Schema; null when there is none.
  std::optional<bool> strict;
};

struct ToolChoice {
  enum class Mode : std::uint8_t { kAuto, kNone, kRequired, kFunction };
  Mode mode = Mode::kAuto;
  std::string name;  ///< Of the function.
};

struct ResponseFormat {
  enum class Kind : std::uint8_t { kText, kJsonObject, kJsonSchema };
  Kind kind = Kind::kText;
  std::string name;
  Json schema;
  std::optional<bool> strict;
};

/// The params of llm.chat, read. The input format is that of Chat Completions, which most people's
/// data has; the codecs turn it into what a provider speaks.
struct ChatParams {
  std::string provider;  ///< Empty: the configuration decides.
  std::string model;     ///< Empty: the provider's default.
  std::vector<ChatMessage> messages;
  std::optional<double> temperature, top_p, frequency_penalty, presence_penalty;
  std::optional<std::int64_t> top_k, max_tokens, seed;
  std::vector<std::string> stop;
  std::optional<ResponseFormat> response_format;
  std::vector<ToolSpec> tools;
  std::optional<ToolChoice> tool_choice;
  std::optional<bool> parallel_tool_calls;
  std::string reasoning_effort;
  Json extra_body = Json::object();
  /// A body of OpenAI's Responses that is sent as it is; null: there is none.
  Json responses_body;
  std::optional<std::int64_t> n;  ///< Choices.
  bool logprobs = false;
  std::optional<std::int64_t> top_logprobs;
  bool stream = false;
  bool raw = false;
};

/// Reads params that fit the schema of llm.chat. Failure: invalid_argument for what the schema
/// cannot say; names the JSON pointer. Pure.
Result<ChatParams, Failure> parse_chat_params(const Json& params);

/// A failure of the request itself: invalid_argument, "/params{pointer}: reason".
Failure bad_param(const std::string& pointer, const std::string& reason);

}  // namespace filecall::worker::llm
