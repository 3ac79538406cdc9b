// SPDX-License-Identifier: MIT
#include "worker/llm_setup.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "loop/event_loop.h"
#include "os/process.h"
#include "worker/config/llm_section.h"
#include "worker/exec/llm/llm_models.h"

namespace filecall::worker {
namespace {

/// Descriptors for everything that is no call.
constexpr std::size_t kOtherDescriptors = 512;

std::string key_source(const llm::ProviderConfig& provider) {
  if (!provider.api_key_file.empty()) return ", key in " + provider.api_key_file;
  if (!provider.api_key_env.empty()) return ", key in $" + provider.api_key_env;
  return ", no key";
}

std::string line_of(const llm::Provider& provider, const Outcome& outcome) {
  const llm::ProviderConfig& config = provider.config();
  std::string line = fmt::format(
      "provider {}: {} ({}), {}{}: ", config.name, to_string(config.kind), config.profile->name,
      config.base_url.empty() ? "searched on this machine" : config.base_url, key_source(config));
  if (!outcome) {
    return line + "does not answer: " + outcome.error().message + "\n";
  }
  return line + fmt::format("answers, {} models\n", (*outcome)["models"].size());
}

}  // namespace

void complete_llm(Config& config, const std::map<std::string, std::string>& environment) {
  if (config.llm.providers.empty()) config.llm.providers = llm::default_providers(environment);
  add_llm_destinations(config);
  // A tool in a sandbox may not read the keys.
  for (const llm::ProviderConfig& provider : config.llm.providers) {
    if (!provider.api_key_file.empty()) config.tool.hidden.push_back(provider.api_key_file);
  }
}

void prepare_process(const Config& config, const std::map<std::string, std::string>& environment) {
  std::size_t calls = 0;
  bool has_keys = false;
  for (const llm::ProviderConfig& provider : config.llm.providers) {
    calls += static_cast<std::size_t>(provider.max_in_flight);
    has_keys =
        has_keys || !provider.api_key_file.empty() || environment.contains(provider.api_key_env);
  }
  // Twice: a connection is kept for a while after its call, and another provider's call may begin.
  raise_descriptor_limit(2 * calls + kOtherDescriptors);
  if (has_keys) forbid_core_dumps();
}

std::string check_providers(const Config& config,
                            const std::map<std::string, std::string>& environment) {
  const auto loop = EventLoop::open();
  if (!loop) return loop.error().message + "\n";
  const auto http = HttpClient::create((*loop)->get());
  llm::LlmService service((*loop)->get(), *http, config.llm, environment);
  std::vector<std::string> lines(service.providers().size());
  std::vector<std::unique_ptr<Execution>> calls;
  std::size_t left = lines.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    llm::Provider& provider = *service.providers()[i];
    calls.push_back(llm::ask_for_models(service, provider, [&, i](const Outcome& outcome) {
      lines[i] = line_of(*service.providers()[i], outcome);
      --left;
    }));
  }
  (*loop)->run_while([&] { return left > 0; });
  return fmt::format("{}", fmt::join(lines, ""));
}

}  // namespace filecall::worker
