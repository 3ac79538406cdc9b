// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"
#include "ipc/token_prices.h"
#include "worker/exec/llm/chat_types.h"
#include "worker/exec/llm/profile.h"
#include "worker/net/http_message.h"

namespace filecall::worker::llm {

/// One entry of `llm.providers`. Plain data; keys are only named here, never held.
struct ProviderConfig {
  std::string name;
  ProviderKind kind = ProviderKind::kOpenAi;
  const Profile* profile = find_profile("generic");
  /// Up to the version, e.g. "https://api.openai.com/v1"; for Anthropic without it.
  std::string base_url;
  std::string api_key_env;
  std::string api_key_file;
  std::map<std::string, std::string> headers;
  /// The first is the default. An entry that ends in "*" stands for all that begin like it; a
  /// request that names no provider goes to the one that lists its model.
  std::vector<std::string> models;
  int max_in_flight = 64;
  double rpm = 0;  ///< Requests a minute; 0: unlimited.
  double tpm = 0;  ///< Tokens a minute, input and allowed output; 0: unlimited.
  HttpTimeouts timeouts;
  Json extra_body = Json::object();
  std::string proxy;
  std::string ca_file;
  std::int64_t max_tokens = 4096;  ///< Where the format requires a limit and the request has none.
  std::size_t response_bytes = 64 * 1024 * 1024;
  TokenPrices prices;  ///< By model.
  /// Its base_url is looked for on the usual ports of this machine when it is first needed.
  bool is_searched = false;
  /// Models whose limits the provider counts together; as in `models`.
  std::vector<std::string> shared_limits;
  /// File whose lines answer in place of a server (`kind: script`); empty: a server answers.
  std::string script;

  bool is_scripted() const { return !script.empty(); }
  /// As the configuration names it.
  std::string_view kind_name() const { return is_scripted() ? "script" : to_string(kind); }

  std::string destination() const { return "llm." + name; }
};

/// The `llm:` section. Plain data.
struct LlmConfig {
  std::string default_provider;  ///< Empty: the first.
  std::vector<ProviderConfig> providers;
  /// The longest wait that a provider may ask for (Retry-After); a longer one opens the breaker.
  Duration max_retry_after = seconds(600);
  Duration breaker_pause = seconds(60);  ///< Until a broken key or model is tried again.
};

/// What stands for a configuration without providers: OpenAI and Anthropic when the environment has
/// their keys (OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL), and a
/// server on this machine that is searched when it is needed. Pure.
std::vector<ProviderConfig> default_providers(
    const std::map<std::string, std::string>& environment);

/// Where servers of models listen by default, and as what they are taken.
struct LocalServer {
  std::string_view base_url;
  std::string_view profile;
};
const std::vector<LocalServer>& local_servers();

/// Whether a provider's list has the model.
bool lists_model(const ProviderConfig& provider, std::string_view model);
/// The unit in which a provider limits calls of a model: the model itself, or "(shared)".
std::string lane_of(const ProviderConfig& provider, std::string_view model);

}  // namespace filecall::worker::llm
