// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <functional>
#include <memory>

#include "base/result.h"
#include "base/time.h"

namespace filecall {

/// A libuv loop that is turned by who owns it, and waits for a descriptor, an instant, and being
/// woken. What has handles of it must be destroyed before it. One thread, but for wake().
class EventLoop {
 public:
  static Result<std::unique_ptr<EventLoop>> open();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  /// Lets the handles close.
  ~EventLoop();

  uv_loop_t* get() { return &loop_; }
  /// Ends waits when `fd` is readable; at most one descriptor. -1: none.
  Result<void> watch(int fd);
  /// Returns when the descriptor is readable, `deadline` is reached, or wake() was called.
  void wait(Deadline deadline, MonotonicTime now);
  /// Turns until `is_wanted` says no, which it must in time: for questions that are asked on a loop
  /// beside a program's own, and for which somebody waits.
  void run_while(const std::function<bool()>& is_wanted);
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

}  // namespace filecall
