// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "base/random.h"
#include "base/time.h"

namespace filecall::client {

/// When to try again, and when not. Pure.
struct RetryPolicy {
  int attempts_max = 3;  ///< Including the first; >= 1.
  Duration backoff_base = seconds(1);
  Duration backoff_max = seconds(60);

  /// The wait before attempt `failed_attempt + 1`: uniform in (0, min(max, base * 2^(n-1))] ("full
  /// jitter", Brooker, AWS Architecture Blog 2015), but never less than `retry_after`.
  Duration backoff(int failed_attempt, std::optional<Duration> retry_after, Random& random) const;
};

}  // namespace filecall::client
