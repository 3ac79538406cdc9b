// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/time.h"

namespace filecall::worker {

/// How a worker stops. Pure and total: every (phase, event) pair is in the table of the .cc file.
///   running:    takes requests.
///   draining:   takes nothing new; what executes may finish until the grace is over.
///   cancelling: what executes is being ended.
///   stopped:    the loop may end.
enum class Phase : std::uint8_t { kRunning, kDraining, kCancelling, kStopped };
inline constexpr int kPhaseCount = 4;

enum class LifecycleEvent : std::uint8_t {
  kStopSignal,  ///< SIGTERM or SIGINT.
  kGraceOver,   ///< The grace that began with the first signal has passed.
  kIdle,        ///< Nothing executes and every answer is published.
  kAllDrained,  ///< kIdle, and no request is pending in any root.
  kStuck,       ///< Nothing executes, and what is left are answers that no disk takes.
};
inline constexpr int kLifecycleEventCount = 5;

/// The phase after `event`. `exit_when_drained`: `--drain` was given.
Phase next_phase(Phase phase, LifecycleEvent event, bool exit_when_drained);

/// Whether new requests are taken.
constexpr bool takes_requests(Phase phase) { return phase == Phase::kRunning; }

}  // namespace filecall::worker
