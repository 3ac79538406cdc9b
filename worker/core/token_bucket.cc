// SPDX-License-Identifier: MIT
#include "worker/core/token_bucket.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace filecall::worker {
namespace {

// Sums of floating-point refills may end a hair below one token.
constexpr double kAlmostOne = 1.0 - 1e-9;

}  // namespace

TokenBucket::TokenBucket(double rate_per_s, double burst, MonotonicTime now)
    : rate_per_s_(rate_per_s), burst_(burst), tokens_(burst), refilled_at_(now) {
  CHECK(rate_per_s > 0 && burst >= 1, "a bucket needs a positive rate and room for one token");
}

void TokenBucket::refill(MonotonicTime now) {
  if (now <= refilled_at_) return;
  const double elapsed_s = std::chrono::duration<double>(now - refilled_at_).count();
  tokens_ = std::min(burst_, tokens_ + elapsed_s * rate_per_s_);
  refilled_at_ = now;
}

bool TokenBucket::has_token(MonotonicTime now) {
  refill(now);
  return tokens_ >= kAlmostOne;
}

void TokenBucket::take(MonotonicTime now, double count) {
  CHECK(has_token(now), "ask for a token before taking it");
  tokens_ -= count;
  if (count <= 1) tokens_ = std::max(0.0, tokens_);
}

MonotonicTime TokenBucket::next_token(MonotonicTime now) {
  if (has_token(now)) return now;
  // Rounded up, so that a request that wakes then does find the token.
  const double missing_ns = std::ceil((1 - tokens_) / rate_per_s_ * 1e9);
  return std::max(now, refilled_at_) + Duration(static_cast<std::int64_t>(missing_ns));
}

}  // namespace filecall::worker
