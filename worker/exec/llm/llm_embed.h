// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/result.h"
#include "worker/exec/executor.h"
#include "worker/exec/llm/llm_service.h"

namespace filecall::worker::llm {

/// llm.embed: vectors of texts, from providers that have {base}/embeddings.
class LlmEmbed final : public Executor {
 public:
  LlmEmbed(std::shared_ptr<LlmService> service, std::string_view schema);

  const CommandInfo& info() const override { return info_; }
  Result<ExecutionPlan, Failure> plan(const Request& request) override;
  std::unique_ptr<Execution> start(const Request& request, const ExecutionContext& context,
                                   std::function<void(Outcome)> done) override;

 private:
  CommandInfo info_;
  std::shared_ptr<LlmService> service_;
};

}  // namespace filecall::worker::llm
