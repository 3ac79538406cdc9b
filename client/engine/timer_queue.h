// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>
#include <tuple>

#include "client/engine/flight.h"

namespace filecall::client {

/// All timers of all flights, in order of time. A timer that is disarmed leaves nothing behind, so
/// memory is bounded by the flights and not by the longest time-out.
class TimerQueue {
 public:
  struct Due {
    Flight* flight;
    TimerKind kind;
  };

  /// Replaces an earlier timer of that kind.
  void arm(Flight& flight, TimerKind kind, MonotonicTime when) {
    disarm(flight, kind);
    slot(flight, kind) = when;
    timers_.emplace(when, &flight, kind);
  }
  void disarm(Flight& flight, TimerKind kind) {
    if (auto& when = slot(flight, kind)) {
      timers_.erase({*when, &flight, kind});
      when.reset();
    }
  }
  /// Before a flight is destroyed.
  void forget(Flight& flight) {
    disarm(flight, TimerKind::kStep);
    disarm(flight, TimerKind::kSettle);
  }

  Deadline next() const {
    return timers_.empty() ? Deadline::never() : Deadline::at(std::get<0>(*timers_.begin()));
  }
  std::optional<Due> take_due(MonotonicTime now) {
    if (timers_.empty() || std::get<0>(*timers_.begin()) > now) return std::nullopt;
    const auto [when, flight, kind] = *timers_.begin();
    disarm(*flight, kind);
    return Due{flight, kind};
  }

 private:
  static std::optional<MonotonicTime>& slot(Flight& flight, TimerKind kind) {
    return flight.armed.at(static_cast<std::size_t>(kind));
  }

  std::set<std::tuple<MonotonicTime, Flight*, TimerKind>> timers_;
};

}  // namespace filecall::client
