// SPDX-License-Identifier: MIT
#include "spool/settle_policy.h"

#include <algorithm>

namespace filecall::spool {
namespace {

constexpr Duration kOpenLookMax = seconds(5);

}  // namespace

SettleVerdict settle(SettleState& state, const FaultObservation& seen, bool had_event,
                     MonotonicTime now, Duration settle_time) {
  if (had_event || !(state.identity == seen.identity)) {
    state.identity = seen.identity;
    state.last_change = now;
  }
  if (seen.writer == Writer::kOpen) {
    const Duration waited = now - state.last_change;
    return {false, now + std::max(settle_time, std::min(waited / 4, kOpenLookMax))};
  }
  if (seen.kind == RequestFault::Kind::kInvalid) return {true, {}};

  const int factor = seen.identity.size == 0 ? limits::kSettleEmptyFactor : 1;
  const MonotonicTime settled = state.last_change + settle_time * factor;
  if (now >= settled) return {true, {}};
  return {false, settled};
}

}  // namespace filecall::spool
