// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/result.h"
#include "worker/exec/executor.h"
#include "worker/exec/llm/llm_service.h"

namespace filecall::worker::llm {

/// llm.models: what a provider offers. Also how it is asked whether it answers at all.
class LlmModels final : public Executor {
 public:
  LlmModels(std::shared_ptr<LlmService> service, std::string_view schema);

  const CommandInfo& info() const override { return info_; }
  Result<ExecutionPlan, Failure> plan(const Request& request) override;
  std::unique_ptr<Execution> start(const Request& request, const ExecutionContext& context,
                                   std::function<void(Outcome)> done) override;

 private:
  CommandInfo info_;
  std::shared_ptr<LlmService> service_;
};

/// Asks one provider for its models, with a short time-out: {"provider", "models": [{"id"}]}.
std::unique_ptr<Execution> ask_for_models(LlmService& service, Provider& provider,
                                          std::function<void(Outcome)> done);

}  // namespace filecall::worker::llm
