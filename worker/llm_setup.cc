// SPDX-License-Identifier: MIT
#include "worker/llm_setup.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/random.h"
#include "ipc/setting_digest.h"
#include "loop/event_loop.h"
#include "os/io.h"
#include "os/process.h"
#include "worker/config/llm_section.h"
#include "worker/exec/llm/chat_codec.h"
#include "worker/exec/llm/llm_models.h"
#include "worker/exec/llm/script/script_reader.h"

namespace filecall::worker {
namespace {

/// Descriptors for everything that is no call.
constexpr std::size_t kOtherDescriptors = 512;

ProviderCheck provider_check(const llm::Provider& provider, const Outcome& outcome) {
  const llm::ProviderConfig& config = provider.config();
  ProviderCheck check;
  check.name = config.name;
  check.kind = config.kind_name();
  check.profile = config.profile->name;
  check.base_url = config.base_url;
  check.key_file = config.api_key_file;
  check.key_variable = config.api_key_env;
  check.has_key = provider.has_key();
  if (outcome) {
    check.models = static_cast<std::int64_t>((*outcome)["models"].size());
  } else {
    check.problem = outcome.error().message;
  }
  return check;
}

std::string text_of(const std::string& path) {
  const auto bytes = read_file(path, llm::kScriptBytesMax);
  return bytes ? *bytes : std::string();
}

/// What a client needs to know whether this worker has what the environment and the key files have
/// by then.
void record_settings(Config& config, const std::map<std::string, std::string>& environment,
                     bool is_default) {
  WorkerLaunch& launch = config.launch;
  launch.salt = Random(random_seed()).hex(32);
  const auto add = [&](const std::string& provider, const char* what, const std::string& variable) {
    const auto found = environment.find(variable);
    const std::string value = found == environment.end() ? std::string() : found->second;
    launch.settings.push_back(
        {provider, what, variable, "", setting_digest(launch.salt, trimmed_setting(value))});
  };
  if (is_default) {
    add("openai", "key", "OPENAI_API_KEY");
    add("openai", "base URL", "OPENAI_BASE_URL");
    add("anthropic", "key", "ANTHROPIC_API_KEY");
    add("anthropic", "base URL", "ANTHROPIC_BASE_URL");
    return;
  }
  for (const llm::ProviderConfig& provider : config.llm.providers) {
    const std::string& file = provider.api_key_file;
    if (!file.empty()) {
      const std::string path = std::filesystem::path(launch.directory) / file;
      launch.settings.push_back({provider.name, "key", "", path,
                                 setting_digest(launch.salt, trimmed_setting(text_of(path)))});
    } else if (!provider.api_key_env.empty()) {
      add(provider.name, "key", provider.api_key_env);
    } else if (provider.is_scripted()) {
      const std::string path = std::filesystem::path(launch.directory) / provider.script;
      launch.settings.push_back({provider.name, "script", "", path,
                                 setting_digest(launch.salt, trimmed_setting(text_of(path)))});
    }
  }
}

void record_providers(Config& config) {
  for (const llm::ProviderConfig& provider : config.llm.providers) {
    config.launch.providers.push_back({provider.name, std::string(provider.kind_name()),
                                       std::string(provider.profile->name), provider.models,
                                       llm::optional_params(provider.kind, *provider.profile)});
  }
  config.launch.default_provider = config.llm.default_provider;
}

/// What a client must declare to a model that is to call them.
void record_tools(Config& config) {
  for (const DeclaredTool& tool : config.tool.tools) {
    config.launch.tools.push_back({tool.name, tool.description, tool.args_schema});
  }
}

}  // namespace

void complete_llm(Config& config, const std::map<std::string, std::string>& environment) {
  const bool is_default = config.llm.providers.empty();
  if (is_default) config.llm.providers = llm::default_providers(environment);
  record_settings(config, environment, is_default);
  record_providers(config);
  record_tools(config);
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
