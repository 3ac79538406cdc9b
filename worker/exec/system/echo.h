// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "worker/exec/executor.h"

namespace filecall::worker {

/// system.echo: answers its params. For trying things out and for measuring.
class SystemEcho final : public Executor {
 public:
  /// `schema`: of its params; must outlive it.
  explicit SystemEcho(std::string_view schema);

  const CommandInfo& info() const override { return info_; }
  Result<ExecutionPlan, Failure> plan(const Request& request) override;
  std::unique_ptr<Execution> start(const Request& request, const ExecutionContext& context,
                                   std::function<void(Outcome)> done) override;

 private:
  CommandInfo info_;
};

}  // namespace filecall::worker
