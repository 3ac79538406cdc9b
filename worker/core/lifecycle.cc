// SPDX-License-Identifier: MIT
#include "worker/core/lifecycle.h"

#include <array>

namespace filecall::worker {
namespace {

constexpr Phase R = Phase::kRunning, D = Phase::kDraining, C = Phase::kCancelling,
                S = Phase::kStopped;

using Row = std::array<Phase, kLifecycleEventCount>;
// Columns: stop signal, grace over, idle, all drained, stuck.
constexpr std::array<Row, kPhaseCount> kNext = {{
    /* running    */ {D, R, R, R, R},
    /* draining   */ {S, C, S, S, D},  // A second signal stops at once; a disk has the grace.
    /* cancelling */ {S, C, S, S, S},
    /* stopped    */ {S, S, S, S, S},
}};

}  // namespace

Phase next_phase(Phase phase, LifecycleEvent event, bool exit_when_drained) {
  if (exit_when_drained && phase == Phase::kRunning && event == LifecycleEvent::kAllDrained) {
    return Phase::kStopped;
  }
  return kNext[static_cast<std::size_t>(phase)][static_cast<std::size_t>(event)];
}

}  // namespace filecall::worker
