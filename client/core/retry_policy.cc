// SPDX-License-Identifier: MIT
#include "client/core/retry_policy.h"

#include <algorithm>

#include "base/check.h"

namespace filecall::client {

Duration RetryPolicy::backoff(int failed_attempt, std::optional<Duration> retry_after,
                              Random& random) const {
  CHECK(failed_attempt >= 1, "only an attempt that was made can have failed");
  Duration ceiling = std::min(backoff_base, backoff_max);
  for (int i = 1; i < failed_attempt && ceiling < backoff_max; ++i) {
    ceiling = ceiling > backoff_max / 2 ? backoff_max : ceiling * 2;
  }
  Duration wait{};
  if (ceiling > Duration::zero()) {
    wait = Duration(
        1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(ceiling.count()))));
  }
  return retry_after ? std::max(wait, *retry_after) : wait;
}

std::optional<Duration> RetryPolicy::pause(const Ask& ask, int pauses, Duration paused,
                                           Random& random) const {
  const bool is_limit = ask.code == ErrorCode::kResourceExhausted && ask.retry_after;
  if (ask.outage ? *ask.outage >= outage_max : !is_limit && !ask.is_pause) return std::nullopt;
  // Who does not say for how long is asked less and less often.
  const Duration wait = backoff(ask.retry_after ? 1 : pauses + 1, ask.retry_after, random);
  if (pause_charge(wait) > pause_max - paused) return std::nullopt;
  return wait;
}

}  // namespace filecall::client
