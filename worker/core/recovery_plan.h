// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "ipc/effects.h"
#include "ipc/response.h"

namespace filecall::worker {

/// What an earlier run left: a request that was started `starts` times and never answered.
struct Interruption {
  int starts = 1;
  Effects effects = Effects::kNone;
};

enum class RecoveryStep : std::uint8_t {
  kRunAgain,           ///< No effects, first crash: once more.
  kAnswerInterrupted,  ///< It may have changed the world: never twice.
  kAnswerCrashed,      ///< Crashed the worker as often as is allowed.
};

/// The whole crash policy. Pure.
RecoveryStep plan_recovery(const Interruption& interruption);
/// The answer for the two answering steps: `aborted`, not retryable.
Failure recovery_failure(RecoveryStep step, int starts);

}  // namespace filecall::worker
