// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace endpoint {

/// A provider's limit of calls a second, for all that come. The first call beyond it closes the
/// door for as long as its Retry-After says; whoever comes before that is over is refused again
/// and told what is left. Pure: the caller brings the time.
class RateLimit {
 public:
  /// `calls_a_second` 0: no limit.
  RateLimit(long calls_a_second, long retry_after_s)
      : calls_a_second_(calls_a_second), retry_after_s_(retry_after_s) {}
  /// 0: let it in. Else it is refused, and may come again after so many whole seconds. `now_ms`
  /// never falls.
  long refuse_for_s(std::int64_t now_ms);

 private:
  long calls_a_second_;
  long retry_after_s_;
  std::int64_t second_began_ms_ = 0;
  std::int64_t closed_until_ms_ = 0;
  long calls_ = 0;
};

}  // namespace endpoint
