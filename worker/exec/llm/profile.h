// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/net/http_message.h"

namespace filecall::worker::llm {

/// How a key travels.
enum class AuthHeader : std::uint8_t { kBearer, kApiKey, kXApiKey };

/// Known deviations of a server from the wire format of its kind. A field that is not in `fields`
/// is never sent: a request that needs it is refused before it costs anything.
struct Profile {
  std::string_view name;
  AuthHeader auth = AuthHeader::kBearer;
  bool is_key_needed = false;
  /// Of Chat Completions; "max_tokens" is deprecated at OpenAI and all that the others know.
  std::string_view max_tokens_field = "max_tokens";
  /// Optional fields of a chat request that the server knows, by their names in llm.chat.
  std::vector<std::string_view> fields;
  bool takes_image_urls = true;  ///< Otherwise only data URIs.
  bool sends_usage_in_stream = true;
  bool pads_streams = false;  ///< Understands include_obfuscation: false.
  int max_in_flight = 64;
  HttpTimeouts timeouts;

  bool knows(std::string_view field) const;
};

/// openai, azure, anthropic, vllm, llamacpp, ollama, litellm, openrouter, generic. Null: no such.
const Profile* find_profile(std::string_view name);
std::vector<std::string> profile_names();

}  // namespace filecall::worker::llm
