// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "base/time.h"

namespace filecall::worker {

/// A rate with a burst: `rate_per_s` tokens flow in every second, at most `burst` are kept, a start
/// takes one or more. Pure: time is an argument and may not run backwards (it is then ignored).
class TokenBucket {
 public:
  /// rate_per_s > 0, burst >= 1. Starts full.
  TokenBucket(double rate_per_s, double burst, MonotonicTime now);

  bool has_token(MonotonicTime now);
  /// Taking without has_token() is a programmer error. `count` may be more than there are: the rest
  /// is a debt, and there is no token until it is paid.
  void take(MonotonicTime now, double count = 1);
  /// What was taken for a start that was not made.
  void give_back(double count) { tokens_ = std::min(burst_, tokens_ + count); }
  /// When the next token will be there; `now` if one is.
  MonotonicTime next_token(MonotonicTime now);

 private:
  void refill(MonotonicTime now);

  double rate_per_s_;
  double burst_;
  double tokens_;
  MonotonicTime refilled_at_;
};

}  // namespace filecall::worker
