// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "worker/exec/cancel_target.h"
#include "worker/exec/executor.h"

namespace filecall::worker {

/// system.cancel: ends another request of the same root. Data: {"request_id", "cancelled",
/// "state": "queued"|"executing"|"answered"}; not_found for a request that is not there.
class SystemCancel final : public Executor {
 public:
  /// `target` tells, at each call, who cancels; it must not answer null by then.
  SystemCancel(std::string_view schema, std::function<CancelTarget*()> target);

  const CommandInfo& info() const override { return info_; }
  Result<ExecutionPlan, Failure> plan(const Request& request) override;
  std::unique_ptr<Execution> start(const Request& request, const ExecutionContext& context,
                                   std::function<void(Outcome)> done) override;

 private:
  CommandInfo info_;
  std::function<CancelTarget*()> target_;
};

}  // namespace filecall::worker
