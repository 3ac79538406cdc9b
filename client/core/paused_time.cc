// SPDX-License-Identifier: MIT
#include "client/core/paused_time.h"

namespace filecall::client {
namespace {

/// A file's time is that of the kernel's last tick: somewhat before the clock's.
constexpr Duration kTick = milliseconds(20);

}  // namespace

TimeVerdict judge_overdue(const OverdueAttempt& attempt) {
  if (attempt.is_paused && !attempt.has_begun) return TimeVerdict::kWaitsOn;
  return attempt.was_spared ? TimeVerdict::kBeginsAgain : TimeVerdict::kExpires;
}

bool begins_again(std::optional<WallTime> begun_at, WallTime unchanged_at) {
  return !begun_at || *begun_at + kTick >= unchanged_at;
}

}  // namespace filecall::client
