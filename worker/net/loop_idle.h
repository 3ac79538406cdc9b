// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <functional>

namespace filecall::worker {

/// Calls a function in every turn of a libuv loop, which does not wait for events meanwhile: after
/// the timers that are due, before the events. For work that is done piece by piece. Loop thread
/// only. Destruction stops it; the handle itself is closed by the loop, which must run once more
/// for that.
class LoopIdle {
 public:
  LoopIdle(uv_loop_t* loop, std::function<void()> on_turn);
  ~LoopIdle();
  LoopIdle(const LoopIdle&) = delete;
  LoopIdle& operator=(const LoopIdle&) = delete;

  void start();
  void stop();

 private:
  struct Handle {
    uv_idle_t idle;
    std::function<void()> on_turn;
  };
  Handle* handle_;
};

}  // namespace filecall::worker
