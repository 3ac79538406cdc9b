// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "ipc/response.h"
#include "worker/core/start_record.h"

namespace filecall::worker {

enum class RecoveryStep : std::uint8_t {
  kRunAgain,           ///< No effects, first crash: once more.
  kAnswerInterrupted,  ///< It may have changed the world: never twice.
  kAnswerCrashed,      ///< Crashed the worker as often as is allowed.
};

/// The whole crash policy, for a request that an earlier run started and never answered. Pure.
RecoveryStep plan_recovery(const StartRecord& left);
/// The answer for the two answering steps: `aborted`, not retryable.
Failure recovery_failure(RecoveryStep step, int starts);

}  // namespace filecall::worker
