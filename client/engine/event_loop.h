// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <memory>

#include "base/result.h"
#include "base/time.h"

namespace filecall::client {

/// A libuv loop reduced to what a client waits for: descriptors, an instant, and being woken.
class EventLoop {
 public:
  static Result<std::unique_ptr<EventLoop>> open();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop();

  /// Ends waits when `fd` is readable; at most one descriptor. -1: none.
  Result<void> watch(int fd);
  /// Returns when the descriptor is readable, `deadline` is reached, or wake() was called.
  void wait(Deadline deadline, MonotonicTime now);
  /// Whether the descriptor was readable since the last call.
  bool take_readable();
  /// Async-signal-safe; any thread.
  void wake();

 private:
  EventLoop() = default;

  uv_loop_t loop_{};
  uv_async_t async_{};
  uv_timer_t timer_{};
  uv_poll_t poll_{};
  bool is_open_ = false;
  bool has_poll_ = false;
  bool readable_ = false;
};

}  // namespace filecall::client
