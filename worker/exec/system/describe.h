// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "worker/exec/executor.h"

namespace filecall::worker {

/// system.describe: the catalog of commands and declared tools, for people and planners. With
/// `command`, that one alone (and the declared tools when it is tool.run); not_found otherwise.
class SystemDescribe final : public Executor {
 public:
  /// `catalog` makes the whole answer, {"commands": [...], "tools": [...]}, at each call.
  SystemDescribe(std::string_view schema, std::function<Json()> catalog);

  const CommandInfo& info() const override { return info_; }
  Result<ExecutionPlan, Failure> plan(const Request& request) override;
  std::unique_ptr<Execution> start(const Request& request, const ExecutionContext& context,
                                   std::function<void(Outcome)> done) override;

 private:
  CommandInfo info_;
  std::function<Json()> catalog_;
};

}  // namespace filecall::worker
