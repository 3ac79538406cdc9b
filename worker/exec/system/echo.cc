// SPDX-License-Identifier: MIT
#include "worker/exec/system/echo.h"

#include "base/result.h"

namespace filecall::worker {

SystemEcho::SystemEcho(std::string_view schema)
    : info_{"system.echo", "Answers its params unchanged.", schema, Effects::kNone, Risk::kLow,
            true} {}

Result<ExecutionPlan, Failure> SystemEcho::plan(const Request&) { return ExecutionPlan{}; }

std::unique_ptr<Execution> SystemEcho::start(const Request& request, const ExecutionContext&,
                                             std::function<void(Outcome)> done) {
  done(request.params);
  return nullptr;
}

}  // namespace filecall::worker
