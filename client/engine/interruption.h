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
    ++requests_;
    loop_.wake();
  }
  bool is_requested() const { return requests_ > 0; }
  /// Asked more than once: what can still be ended is to end.
  bool is_urgent() const { return requests_ > 1; }

 private:
  EventLoop& loop_;
  std::atomic<int> requests_{0};
};

}  // namespace filecall::client
