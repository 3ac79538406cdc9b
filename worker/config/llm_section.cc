// SPDX-License-Identifier: MIT
#include "worker/config/llm_section.h"

#include <algorithm>
#include <utility>

namespace filecall::worker {
namespace {

using llm::ProviderConfig;
using llm::ProviderKind;

/// Bursts of what is allowed in so many seconds.
constexpr double kRequestBurstSeconds = 1;
constexpr double kTokenBurstSeconds = 10;

const llm::Profile* read_profile(YamlSection& section, ProviderKind kind,
                                 const std::string& base_url) {
  if (const auto name = section.read_choice("profile", llm::profile_names())) {
    return llm::find_profile(*name);
  }
  if (kind == ProviderKind::kAnthropic) return llm::find_profile("anthropic");
  const std::pair<const char*, const char*> known[] = {{"api.openai.com", "openai"},
                                                       {"openai.azure.com", "azure"},
                                                       {"openrouter.ai", "openrouter"},
                                                       {":11434", "ollama"}};
  for (const auto& [part, profile] : known) {
    if (base_url.find(part) != std::string::npos) return llm::find_profile(profile);
  }
  return llm::find_profile("generic");
}

void read_timeouts(YamlSection& section, HttpTimeouts& timeouts) {
  section.read("connect", timeouts.connect);
  section.read("first_event", timeouts.first_event);
  section.read("idle", timeouts.idle);
  section.read("total", timeouts.total);
}

void read_price(const std::string& model, YamlSection& section, TokenPrices& prices) {
  TokenPrice price;
  section.read_number("input", 0, 1e6, price.input);
  section.read_number("output", 0, 1e6, price.output);
  if (section.has("cached_input")) {
    double cached = 0;
    section.read_number("cached_input", 0, 1e6, cached);
    price.cached_input = cached;
  }
  std::vector<std::string> aliases;
  section.read("aliases", aliases);
  aliases.push_back(model);
  for (const std::string& name : aliases) {
    if (!prices.add(name, price)) section.complain("aliases", name + " has a price already");
  }
}

void read_base_url(YamlSection& section, ProviderConfig& provider) {
  switch (provider.kind) {
    case ProviderKind::kOpenAi:
    case ProviderKind::kOpenAiResponses:
      provider.base_url = "https://api.openai.com/v1";
      break;
    case ProviderKind::kAnthropic:
      provider.base_url = "https://api.anthropic.com";
      break;
  }
  section.read("base_url", provider.base_url);
  const std::string& url = provider.base_url;
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    section.complain("base_url", "must begin with http:// or https://");
  }
  if (url.find('@') != std::string::npos) {
    section.complain("base_url",
                     "must not hold a user or a password; use api_key_env or "
                     "api_key_file");
  }
}

/// What a server has and a script has not: asked for, it would be silently left out.
constexpr const char* kOfServers[] = {"base_url", "api_key_env", "api_key_file", "headers",
                                      "proxy",    "ca_file",     "profile"};

void read_script(YamlSection& section, bool is_scripted, ProviderConfig& provider) {
  section.read("script", provider.script);
  if (!is_scripted) {
    if (section.has("script")) section.complain("script", "goes with kind: script");
    provider.script.clear();
    return;
  }
  if (provider.script.empty()) {
    section.complain("script", "is missing: the file whose lines answer");
  }
  provider.base_url = "script:" + provider.script;
  for (const char* name : kOfServers) {
    if (section.has(name)) section.complain(name, "does not go with kind: script");
  }
}

void read_key(YamlSection& section, ProviderConfig& provider) {
  section.read("api_key_env", provider.api_key_env);
  section.read("api_key_file", provider.api_key_file);
  if (section.has("api_key_env") || section.has("api_key_file")) return;
  if (provider.profile->name == "openai") provider.api_key_env = "OPENAI_API_KEY";
  if (provider.profile->name == "anthropic") provider.api_key_env = "ANTHROPIC_API_KEY";
}

void read_provider(const std::string& name, YamlSection& section, Config& config) {
  ProviderConfig provider;
  provider.name = name;
  const auto kind =
      section.read_choice("kind", {"openai", "openai-responses", "anthropic", "script"});
  const bool is_scripted = kind == "script";
  if (kind && !is_scripted) provider.kind = *llm::parse_provider_kind(*kind);
  read_script(section, is_scripted, provider);
  if (!is_scripted) read_base_url(section, provider);
  provider.profile = read_profile(section, provider.kind, provider.base_url);
  provider.timeouts = provider.profile->timeouts;
  read_key(section, provider);
  section.read_string_map("headers", provider.headers);
  section.read("models", provider.models);
  section.read("shared_limits", provider.shared_limits);
  std::int64_t max_in_flight = provider.profile->max_in_flight;
  section.read_integer("max_in_flight", 1, 100'000, max_in_flight);
  provider.max_in_flight = static_cast<int>(max_in_flight);
  section.read_number("rpm", 0, 1e9, provider.rpm);
  section.read_number("tpm", 0, 1e12, provider.tpm);
  section.section("timeouts", [&](YamlSection& s) { read_timeouts(s, provider.timeouts); });
  if (section.has("extra_body")) {
    provider.extra_body = section.read_json("extra_body");
    if (!provider.extra_body.is_object()) section.complain("extra_body", "must be a mapping");
  }
  section.read("proxy", provider.proxy);
  section.read("ca_file", provider.ca_file);
  section.read_integer("max_tokens", 1, 10'000'000, provider.max_tokens);
  std::uint64_t response_bytes = provider.response_bytes;
  section.read_bytes("response_bytes", 1024, 1ULL << 30, response_bytes);
  provider.response_bytes = response_bytes;
  section.each("prices", [&](const std::string& model, YamlSection& s) {
    read_price(model, s, provider.prices);
  });
  config.llm.providers.push_back(std::move(provider));
}

}  // namespace

void read_llm(YamlSection& section, Config& config) {
  section.read("default", config.llm.default_provider);
  section.read("breaker_pause", config.llm.breaker_pause);
  section.read("max_retry_after", config.llm.max_retry_after);
  section.each("providers",
               [&](const std::string& name, YamlSection& s) { read_provider(name, s, config); });
  const auto& providers = config.llm.providers;
  const std::string& wanted = config.llm.default_provider;
  const bool is_known = std::any_of(providers.begin(), providers.end(),
                                    [&](const auto& p) { return p.name == wanted; });
  if (!wanted.empty() && !is_known) section.complain("default", "must be one of llm.providers");
}

void add_llm_destinations(Config& config) {
  for (const ProviderConfig& provider : config.llm.providers) {
    DestinationLimits limits;
    limits.concurrency = provider.max_in_flight;
    if (provider.rpm > 0) {
      limits.rate_per_s = provider.rpm / 60;
      limits.burst = std::max(1.0, limits.rate_per_s * kRequestBurstSeconds);
    }
    if (provider.tpm > 0) {
      limits.tokens_per_s = provider.tpm / 60;
      limits.tokens_burst = std::max(1.0, limits.tokens_per_s * kTokenBurstSeconds);
    }
    config.destinations.try_emplace(provider.destination(), limits);
  }
}

}  // namespace filecall::worker
