// SPDX-License-Identifier: MIT
#include "worker/net/transfer_clock.h"

#include <algorithm>

namespace filecall::worker {

void TransferClock::on_connected(MonotonicTime now) {
  if (!connected_at_) connected_at_ = now;
}

void TransferClock::on_progress(MonotonicTime now) {
  progress_at_ = now;
  bytes_at_ = now;
}

void TransferClock::end_within(Duration left, MonotonicTime now) {
  total_ = std::min(total_, Deadline::after(now, left));
}

Deadline TransferClock::idle() const {
  return std::min(Deadline::after(std::max(bytes_at_, *progress_at_), timeouts_.idle),
                  Deadline::after(*progress_at_, timeouts_.idle * kIdleWithoutProgressFactor));
}

Deadline TransferClock::next() const {
  if (!connected_at_) return std::min(total_, Deadline::after(begun_at_, timeouts_.connect));
  if (!progress_at_)
    return std::min(total_, Deadline::after(*connected_at_, timeouts_.first_event));
  return std::min(total_, idle());
}

Deadline TransferClock::next_look(MonotonicTime now) const {
  Deadline look = next();
  if (!connected_at_) look = std::min(look, Deadline::after(now, timeouts_.first_event));
  if (!progress_at_) look = std::min(look, Deadline::after(now, timeouts_.idle));
  return look;
}

std::optional<HttpEnd> TransferClock::expired(MonotonicTime now) const {
  if (!next().is_reached(now)) return std::nullopt;
  if (total_.is_reached(now)) return HttpEnd::kTimeoutTotal;
  if (!connected_at_) return HttpEnd::kTimeoutConnect;
  return progress_at_ ? HttpEnd::kTimeoutIdle : HttpEnd::kTimeoutFirstEvent;
}

}  // namespace filecall::worker
