// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "base/random.h"
#include "base/time.h"

namespace filecall::client {

/// When to try again, and when not. Pure.
struct RetryPolicy {
  int attempts_max = 3;  ///< Including the first; >= 1.
  Duration backoff_base = seconds(1);
  Duration backoff_max = seconds(60);
  /// The sum of waits that responses may ask of one request before such responses count as
  /// attempts.
  Duration pause_max = std::chrono::hours(1);
  /// For how long what cannot be reached is waited for, without a failed attempt.
  Duration outage_max = std::chrono::minutes(10);

  /// The wait before attempt `failed_attempt + 1`: uniform in (0, min(max, base * 2^(n-1))] ("full
  /// jitter", Brooker, AWS Architecture Blog 2015), but never less than `retry_after`.
  Duration backoff(int failed_attempt, std::optional<Duration> retry_after, Random& random) const;

  /// What of a failure matters for a pause.
  struct Ask {
    ErrorCode code = ErrorCode::kUnknown;
    std::optional<Duration> retry_after{};
    bool is_pause = false;
    std::optional<Duration> outage{};
  };
  /// The wait that a failure asks for that is no failed attempt but a pause: the place to call is
  /// at its limit (it says so, or resource_exhausted with a `retry_after`), or cannot be reached.
  /// Not after `pauses` with waits of `paused` altogether, nor in an outage that is too long: then
  /// it counts as any other failure. nullopt: no pause.
  std::optional<Duration> pause(const Ask& ask, int pauses, Duration paused, Random& random) const;
  /// What a wait takes of `pause_max`: itself, at least a second, so that an answer which always
  /// says "at once" ends too.
  static Duration pause_charge(Duration wait) { return std::max<Duration>(wait, seconds(1)); }
};

}  // namespace filecall::client
