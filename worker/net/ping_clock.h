// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "base/time.h"

namespace filecall::worker {

/// When the peer of an open connection is asked whether it lives, and when it counts as dead. Any
/// bytes are a sign of life. A peer may stop to read until somebody takes what it was sent, and
/// then sees no ping either: it counts as dead only once it has answered a ping behind the last
/// message. Pure.
class PingClock {
 public:
  /// As kubectl, which gives a server 60 s for a pong.
  struct Limits {
    Duration after = seconds(15);   ///< Without a byte before a ping is sent.
    Duration within = seconds(60);  ///< Without a byte behind it.
  };
  PingClock(const Limits& limits, MonotonicTime now) : limits_(limits), heard_at_(now) {}

  void on_bytes(MonotonicTime now) { heard_at_ = now; }
  void on_message_sent() {
    is_held_up_ = true;
    is_ping_behind_ = false;
  }
  void on_ping_sent(MonotonicTime now) {
    asked_at_ = now;
    is_ping_behind_ = true;
  }
  void on_pong();

  bool is_ping_due(MonotonicTime now) const { return !asked_at_ && next().is_reached(now); }
  bool is_dead(MonotonicTime now) const { return asked_at_ && next().is_reached(now); }
  /// When one of the two becomes so.
  Deadline next() const;

 private:
  Limits limits_;
  MonotonicTime heard_at_;
  std::optional<MonotonicTime> asked_at_;  ///< A ping waits for its answer.
  bool is_ping_behind_ = false;            ///< All that was sent stands before that ping.
  bool is_held_up_ = false;                ///< Perhaps: something sent may wait to be taken.
};

}  // namespace filecall::worker
