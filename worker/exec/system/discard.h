// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "worker/exec/cancel_target.h"
#include "worker/exec/executor.h"

namespace filecall::worker {

/// system.discard: takes the response to another request of the same root away, so that it is
/// pending again. It is for clients that may not delete it (a group's root). Data: {"request_id",
/// "discarded", "state": "discarded"|"absent"|"other"}.
class SystemDiscard final : public Executor {
 public:
  /// `target` tells, at each call, who discards; it must not answer null by then.
  SystemDiscard(std::string_view schema, std::function<CancelTarget*()> target);

  const CommandInfo& info() const override { return info_; }
  Result<ExecutionPlan, Failure> plan(const Request& request) override;
  std::unique_ptr<Execution> start(const Request& request, const ExecutionContext& context,
                                   std::function<void(Outcome)> done) override;

 private:
  CommandInfo info_;
  std::function<CancelTarget*()> target_;
};

}  // namespace filecall::worker
