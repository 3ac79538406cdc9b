// SPDX-License-Identifier: MIT
#include "worker/exec/llm/llm_service.h"

#include <fmt/core.h>

#include <utility>

#include "base/log.h"
#include "base/nearest.h"
#include "base/result.h"
#include "worker/exec/llm/local_search.h"

namespace filecall::worker::llm {
namespace {

constexpr Duration kFlushDelay = milliseconds(50);

std::string local_places() {
  std::string places;
  for (const LocalServer& server : local_servers()) {
    places += fmt::format(" {} ({})", server.base_url, server.profile);
  }
  return places;
}

/// Of a search beside providers that are there.
Failure no_local_server() {
  Failure failure;
  failure.code = ErrorCode::kFailedPrecondition;
  failure.message =
      "no model server answers on this machine; start one at one of" + local_places() +
      ", name it under llm.providers in the worker's configuration, or ask another provider";
  failure.details = {{"class", "configuration"}};
  return failure;
}

Failure no_provider() {
  Failure failure;
  failure.code = ErrorCode::kFailedPrecondition;
  failure.message =
      "no provider of language models: set OPENAI_API_KEY, ANTHROPIC_API_KEY or, for a server of "
      "your own, OPENAI_BASE_URL, and restart the worker; or name one under llm.providers in its "
      "configuration, or start a server at one of" +
      local_places();
  failure.details = {{"class", "configuration"}};
  return failure;
}

}  // namespace

LlmService::LlmService(uv_loop_t* loop, HttpClient& http, LlmConfig config,
                       const std::map<std::string, std::string>& environment)
    : loop_(loop),
      config_(std::move(config)),
      http_(http),
      schemas_(loop),
      search_(std::make_unique<LocalSearch>(http_)),
      flush_timer_(loop, [this] { flush_all(); }) {
  for (const ProviderConfig& provider : config_.providers) {
    providers_.push_back(std::make_unique<Provider>(provider, environment, config_.breaker_pause));
    if (const std::string& problem = providers_.back()->key_problem(); !problem.empty()) {
      log_warn("{}", problem);
    }
  }
}

LlmService::~LlmService() { search_.reset(); }

Result<Provider*, Failure> LlmService::choose(const std::string& name, const std::string& model) {
  if (providers_.empty()) return no_provider();
  const std::string& wanted = name.empty() ? config_.default_provider : name;
  if (name.empty()) {
    for (const auto& provider : providers_) {
      if (!model.empty() && lists_model(provider->config(), model)) return provider.get();
    }
    if (wanted.empty()) return providers_.front().get();
  }
  std::vector<std::string_view> names;
  for (const auto& provider : providers_) {
    if (provider->name() == wanted) return provider.get();
    names.push_back(provider->name());
  }
  Failure failure;
  failure.code = ErrorCode::kNotFound;
  failure.message =
      fmt::format("/params/provider: unknown provider '{}'{}", wanted, suggest(wanted, names));
  failure.details = {{"class", "configuration"}, {"pointer", "/params/provider"}};
  return failure;
}

std::string LlmService::default_model(const Provider& provider) const {
  for (const std::string& model : provider.config().models) {
    if (!model.ends_with('*')) return model;
  }
  return provider.config().is_searched ? found_model_ : "";
}

void LlmService::with_address(Provider& provider, std::function<void(const Failure*)> then) {
  if (provider.is_settled()) return then(nullptr);
  search_->find([this, &provider, then = std::move(then)](const FoundServer* found) {
    if (found == nullptr) {
      Failure failure = providers_.size() > 1 ? no_local_server() : no_provider();
      if (const std::string& left_out = search_->left_out(); !left_out.empty()) {
        failure.message = fmt::format(
            "no provider of language models: {}; a server that is neither root's nor "
            "the worker's own is used only when llm.providers names it",
            left_out);
      }
      return then(&failure);
    }
    if (!provider.is_settled()) {
      provider.settle(std::string(found->server.base_url), *find_profile(found->server.profile));
      found_model_ = found->first_model;
      log_info("provider {}: found at {}", provider.name(), found->server.base_url);
    }
    then(nullptr);
  });
}

std::vector<DestinationProblem> LlmService::problems() const {
  std::vector<DestinationProblem> result;
  for (const auto& provider : providers_) {
    const std::string problem = provider->problem();
    if (!problem.empty()) result.push_back({provider->config().destination(), problem});
  }
  return result;
}

void LlmService::flush_soon(const void* who, const std::function<void()>& flush) {
  if (unflushed_.empty()) flush_timer_.start(kFlushDelay);
  unflushed_.try_emplace(who, flush);
}

void LlmService::flush_all() {
  for (const auto& [who, flush] : std::exchange(unflushed_, {})) flush();
}

}  // namespace filecall::worker::llm
