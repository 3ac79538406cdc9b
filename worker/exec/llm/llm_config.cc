// SPDX-License-Identifier: MIT
#include "worker/exec/llm/llm_config.h"

#include <algorithm>

namespace filecall::worker::llm {
namespace {

ProviderConfig make_provider(std::string name, ProviderKind kind, std::string_view profile) {
  ProviderConfig provider;
  provider.name = std::move(name);
  provider.kind = kind;
  provider.profile = find_profile(profile);
  provider.max_in_flight = provider.profile->max_in_flight;
  provider.timeouts = provider.profile->timeouts;
  return provider;
}

std::string value_of(const std::map<std::string, std::string>& environment, const char* name,
                     const char* fallback) {
  const auto found = environment.find(name);
  return found == environment.end() || found->second.empty() ? fallback : found->second;
}

bool fits_one(const std::vector<std::string>& entries, std::string_view model) {
  return std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) {
    if (!entry.ends_with('*')) return model == entry;
    return model.starts_with(std::string_view(entry).substr(0, entry.size() - 1));
  });
}

}  // namespace

std::vector<ProviderConfig> default_providers(
    const std::map<std::string, std::string>& environment) {
  std::vector<ProviderConfig> providers;
  const std::string openai_url = value_of(environment, "OPENAI_BASE_URL", "");
  if (!value_of(environment, "OPENAI_API_KEY", "").empty() || !openai_url.empty()) {
    // Another address has something that imitates OpenAI.
    const bool is_openai = openai_url.empty() || openai_url.find("api.openai.com") < 10;
    auto provider =
        make_provider("openai", ProviderKind::kOpenAi, is_openai ? "openai" : "generic");
    provider.base_url = openai_url.empty() ? "https://api.openai.com/v1" : openai_url;
    provider.api_key_env = "OPENAI_API_KEY";
    providers.push_back(std::move(provider));
  }
  if (!value_of(environment, "ANTHROPIC_API_KEY", "").empty()) {
    auto provider = make_provider("anthropic", ProviderKind::kAnthropic, "anthropic");
    provider.base_url = value_of(environment, "ANTHROPIC_BASE_URL", "https://api.anthropic.com");
    provider.api_key_env = "ANTHROPIC_API_KEY";
    provider.models = {"claude-*"};
    providers.push_back(std::move(provider));
  }
  auto local = make_provider("local", ProviderKind::kOpenAi, "generic");
  local.is_searched = true;
  providers.push_back(std::move(local));
  return providers;
}

const std::vector<LocalServer>& local_servers() {
  static const std::vector<LocalServer> kServers = {
      {"http://127.0.0.1:11434/v1", "ollama"},  {"http://127.0.0.1:8000/v1", "vllm"},
      {"http://127.0.0.1:8080/v1", "llamacpp"}, {"http://127.0.0.1:4000/v1", "litellm"},
      {"http://127.0.0.1:1234/v1", "generic"},
  };
  return kServers;
}

bool lists_model(const ProviderConfig& provider, std::string_view model) {
  return fits_one(provider.models, model);
}

std::string lane_of(const ProviderConfig& provider, std::string_view model) {
  return fits_one(provider.shared_limits, model) ? "(shared)" : std::string(model);
}

}  // namespace filecall::worker::llm
