// SPDX-License-Identifier: MIT
#include "worker/exec/llm/profile.h"

#include <algorithm>
#include <array>

namespace filecall::worker::llm {
namespace {

constexpr HttpTimeouts kCloud{seconds(5), seconds(600), seconds(120), seconds(600)};
/// The first call may load a model.
constexpr HttpTimeouts kLocal{seconds(2), seconds(900), seconds(120), seconds(1800)};

using Fields = std::vector<std::string_view>;

Fields plus(Fields fields, std::initializer_list<std::string_view> more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

const std::array<Profile, 9>& profiles() {
  static const Fields kPlain = {
      "temperature",       "top_p",           "stop", "seed", "response_format", "tools",
      "frequency_penalty", "presence_penalty"};
  static const Fields kOpenAi = plus(kPlain, {"tool_choice", "parallel_tool_calls",
                                              "reasoning_effort", "n", "logprobs", "top_logprobs"});
  // Where several choices are asked for elsewhere, one comes.
  static const Fields kOneChoice =
      plus(kPlain, {"tool_choice", "parallel_tool_calls", "reasoning_effort", "logprobs",
                    "top_logprobs", "top_k"});
  static const std::array<Profile, 9> kProfiles = {{
      {.name = "openai",
       .is_key_needed = true,
       .max_tokens_field = "max_completion_tokens",
       .fields = kOpenAi,
       .pads_streams = true,
       .timeouts = kCloud},
      {.name = "azure",
       .auth = AuthHeader::kApiKey,
       .is_key_needed = true,
       .max_tokens_field = "max_completion_tokens",
       .fields = kOpenAi,
       .timeouts = kCloud},
      {.name = "anthropic",
       .auth = AuthHeader::kXApiKey,
       .is_key_needed = true,
       .fields = {"temperature", "top_p", "top_k", "stop", "response_format", "tools",
                  "tool_choice", "parallel_tool_calls", "reasoning_effort"},
       .timeouts = kCloud},
      {.name = "vllm",
       .fields = plus(
           kPlain, {"tool_choice", "reasoning_effort", "top_k", "n", "logprobs", "top_logprobs"}),
       .max_in_flight = 256,
       .timeouts = kLocal},
      {.name = "llamacpp", .fields = kOneChoice, .max_in_flight = 8, .timeouts = kLocal},
      {.name = "ollama",
       .fields = plus(kPlain, {"reasoning_effort"}),
       .takes_image_urls = false,
       .max_in_flight = 4,
       .timeouts = kLocal},
      {.name = "litellm", .fields = plus(kOpenAi, {"top_k"}), .timeouts = kCloud},
      {.name = "openrouter", .is_key_needed = true, .fields = kOneChoice, .timeouts = kCloud},
      {.name = "generic", .fields = plus(kOpenAi, {"top_k"}), .timeouts = kLocal},
  }};
  return kProfiles;
}

}  // namespace

bool Profile::knows(std::string_view field) const {
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : profiles()) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const Profile& profile : profiles()) names.emplace_back(profile.name);
  return names;
}

}  // namespace filecall::worker::llm
