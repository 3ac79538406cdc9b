// SPDX-License-Identifier: MIT
#include "worker/core/recovery_plan.h"

#include <fmt/core.h>

#include "base/check.h"
#include "ipc/limits.h"

namespace filecall::worker {

RecoveryStep plan_recovery(const StartRecord& left) {
  if (left.effects == Effects::kExternal) return RecoveryStep::kAnswerInterrupted;
  return left.starts < limits::kStartsMax ? RecoveryStep::kRunAgain : RecoveryStep::kAnswerCrashed;
}

Failure recovery_failure(RecoveryStep step, int starts) {
  CHECK(step != RecoveryStep::kRunAgain, "what runs again is not answered");
  Failure failure;
  failure.code = ErrorCode::kAborted;
  failure.retryable = false;
  failure.details = {{"starts", starts}};
  failure.message =
      step == RecoveryStep::kAnswerInterrupted
          ? "interrupted; effects unknown: the worker died or was stopped at once while this "
            "command "
            "ran, and the command may change the world; look at its effects, then send a new "
            "request if it must run"
          : fmt::format("crashed the worker: {} starts ended without a response; not started again",
                        starts);
  return failure;
}

}  // namespace filecall::worker
