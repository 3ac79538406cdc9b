// SPDX-License-Identifier: MIT
#include "client/core/cold_start.h"

namespace filecall::client {

ColdStart decide_cold_start(const ServerEvidence& evidence, const ColdStartRules& rules,
                            Duration waited) {
  if (evidence.lock_is_held) return evidence.is_ready ? ColdStart::kGo : ColdStart::kWait;
  if (evidence.may_start) return ColdStart::kStartWorker;
  if (evidence.has_status) {
    return waited >= rules.patience ? ColdStart::kNoWorker : ColdStart::kWait;
  }
  // Another implementation, which publishes no status: nothing tells whether it is there, so it
  // gets the fixed delay.
  return waited >= rules.delay ? ColdStart::kGo : ColdStart::kWait;
}

}  // namespace filecall::client
