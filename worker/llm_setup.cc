// SPDX-License-Identifier: MIT
#include "worker/llm_setup.h"

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

ProviderCheck provider_check(const llm::Provider& provider, const Outcome& outcome) {
  const llm::ProviderConfig& config = provider.config();
  ProviderCheck check;
  check.name = config.name;
  check.kind = to_string(config.kind);
  check.profile = config.profile->name;
  check.base_url = config.base_url;
  check.key_file = config.api_key_file;
  check.key_variable = config.api_key_env;
  if (outcome) {
    check.models = static_cast<std::int64_t>((*outcome)["models"].size());
  } else {
    check.problem = outcome.error().message;
  }
  return check;
}

}  // namespace

void complete_llm(Config& config, const std::map<std::string, std::string>& environment) {
  if (config.llm.providers.empty()) config.llm.providers = llm::default_providers(environment);
  add_llm_destinations(config);
  // A tool in a sandbox may not read the keys.
  for (const llm::ProviderConfig& provider : config.llm.providers) {
    if (!provider.api_key_file.empty()) config.tool.own_files.push_back(provider.api_key_file);
  }
}

void prepare_process(const Config& config) {
  std::size_t calls = 0;
  for (const llm::ProviderConfig& provider : config.llm.providers) {
    calls += static_cast<std::size_t>(provider.max_in_flight);
  }
  // Twice: a connection is kept for a while after its call, and another provider's call may begin.
  raise_descriptor_limit(2 * calls + kOtherDescriptors);
}

Result<std::vector<ProviderCheck>> check_providers(
    const Config& config, const std::map<std::string, std::string>& environment) {
  TRY_ASSIGN(const auto loop, EventLoop::open());
  const auto http = HttpClient::create(loop->get());
  llm::LlmService service(loop->get(), *http, config.llm, environment);
  std::vector<ProviderCheck> checks(service.providers().size());
  std::vector<std::unique_ptr<Execution>> calls;
  std::size_t left = checks.size();
  for (std::size_t i = 0; i < checks.size(); ++i) {
    llm::Provider& provider = *service.providers()[i];
    calls.push_back(llm::ask_for_models(service, provider, [&, i](const Outcome& outcome) {
      checks[i] = provider_check(*service.providers()[i], outcome);
      --left;
    }));
  }
  loop->run_while([&] { return left > 0; });
  return checks;
}

}  // namespace filecall::worker
