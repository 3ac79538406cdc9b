// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ipc/response.h"
#include "loop/loop_timer.h"
#include "worker/exec/executor.h"
#include "worker/exec/llm/llm_config.h"
#include "worker/exec/llm/provider.h"
#include "worker/exec/llm/schema_checks.h"
#include "worker/net/http_client.h"

namespace filecall::worker::llm {

class LocalSearch;

/// What llm.chat, llm.embed and llm.models share: the providers and the worker's HTTP client.
/// Loop thread only; outlives every call.
class LlmService {
 public:
  LlmService(uv_loop_t* loop, HttpClient& http, LlmConfig config,
             const std::map<std::string, std::string>& environment);
  ~LlmService();

  /// The provider for a request: the one it names, else the one that lists the model, else the
  /// default. Failure: not_found (names those there are), failed_precondition (there is none).
  Result<Provider*, Failure> choose(const std::string& name, const std::string& model);
  /// Its model when the request names none; empty: it has no default.
  std::string default_model(const Provider& provider) const;

  /// Calls back once the provider has an address, at once for one that was configured; a provider
  /// that is searched is looked for on this machine. `failure` null: go on.
  void with_address(Provider& provider, std::function<void(const Failure* failure)> then);

  HttpClient& http() { return http_; }
  uv_loop_t* loop() const { return loop_; }
  SchemaChecks& schemas() { return schemas_; }
  const LlmConfig& config() const { return config_; }
  const std::vector<std::unique_ptr<Provider>>& providers() const { return providers_; }
  /// One line for each destination that something is wrong with.
  std::vector<DestinationProblem> problems() const;

  /// Calls `flush` once, some tens of milliseconds later, however often `who` asks until then: what
  /// streams say is written in portions.
  void flush_soon(const void* who, const std::function<void()>& flush);
  void forget(const void* who) { unflushed_.erase(who); }

 private:
  void flush_all();

  uv_loop_t* loop_;
  LlmConfig config_;
  HttpClient& http_;
  std::vector<std::unique_ptr<Provider>> providers_;
  SchemaChecks schemas_;
  std::unique_ptr<LocalSearch> search_;
  std::string found_model_;  ///< The first of a found server.
  LoopTimer flush_timer_;
  std::map<const void*, std::function<void()>> unflushed_;
};

}  // namespace filecall::worker::llm
