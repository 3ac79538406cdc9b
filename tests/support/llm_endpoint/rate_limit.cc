// SPDX-License-Identifier: MIT
#include "tests/support/llm_endpoint/rate_limit.h"

namespace endpoint {

long RateLimit::refuse_for_s(std::int64_t now_ms) {
  if (calls_a_second_ == 0) return 0;
  if (now_ms < closed_until_ms_) {
    return static_cast<long>((closed_until_ms_ - now_ms + 999) / 1000);
  }
  if (now_ms >= second_began_ms_ + 1000 || closed_until_ms_ > second_began_ms_) {
    second_began_ms_ = now_ms;
    calls_ = 0;
  }
  if (++calls_ <= calls_a_second_) return 0;
  closed_until_ms_ = now_ms + retry_after_s_ * 1000;
  return retry_after_s_;
}

}  // namespace endpoint
