// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

#include "loop/event_loop.h"

namespace filecall::client {

/// Asks what runs for long on a loop to end soon. The request stays: what begins later ends at
/// once.
class Interruption {
 public:
  /// `loop` must outlive it.
  explicit Interruption(EventLoop& loop) : loop_(loop) {}
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Async-signal-safe; any thread.
  void request() {
    is_requested_ = true;
    loop_.wake();
  }
  bool is_requested() const { return is_requested_; }

 private:
  EventLoop& loop_;
  std::atomic<bool> is_requested_{false};
};

}  // namespace filecall::client
