// SPDX-License-Identifier: MIT
#include "worker/net/ping_clock.h"

#include <algorithm>

namespace filecall::worker {

void PingClock::on_pong() {
  if (!asked_at_) return;
  asked_at_.reset();
  if (is_ping_behind_) is_held_up_ = false;
}

Deadline PingClock::next() const {
  if (!asked_at_) return Deadline::after(heard_at_, limits_.after);
  if (is_held_up_) return Deadline::never();
  return Deadline::after(std::max(heard_at_, *asked_at_), limits_.within);
}

}  // namespace filecall::worker
