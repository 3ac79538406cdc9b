// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/result.h"
#include "worker/exec/executor.h"
#include "worker/exec/llm/chat_params.h"
#include "worker/exec/llm/llm_service.h"

namespace filecall::worker::llm {

/// llm.chat: one question to a language model, sent once. Effects `none`: a call that a crash
/// interrupted may be made again; it costs money, and changes nothing.
class LlmChat final : public Executor {
 public:
  LlmChat(std::shared_ptr<LlmService> service, std::string_view schema);

  const CommandInfo& info() const override { return info_; }
  Result<ExecutionPlan, Failure> plan(const Request& request) override;
  std::unique_ptr<Execution> start(const Request& request, const ExecutionContext& context,
                                   std::function<void(Outcome)> done) override;
  std::vector<DestinationProblem> problems() const override { return service_->problems(); }

 private:
  /// The params with what the configuration fills in. A model may be missing for a searched
  /// provider.
  struct Chosen {
    ChatParams params;
    Provider* provider = nullptr;
  };
  Result<Chosen, Failure> choose(const Request& request);

  CommandInfo info_;
  std::shared_ptr<LlmService> service_;
};

/// The text of a body: `encoded`, then the provider's extra_body, then the request's.
std::string merge_body(Json encoded, const Json& of_provider, const Json& of_request);

/// What a request will count against a provider's tokens a minute: its text at four bytes a token,
/// and what the answer may have.
double estimate_tokens(const Request& request, std::int64_t max_tokens);

}  // namespace filecall::worker::llm
