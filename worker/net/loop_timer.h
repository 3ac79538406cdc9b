// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <functional>

#include "base/time.h"

namespace filecall::worker {

/// A one-shot timer of a libuv loop. Loop thread only. Destruction stops it; the handle itself is
/// closed by the loop, which must run once more for that.
class LoopTimer {
 public:
  LoopTimer(uv_loop_t* loop, std::function<void()> on_fire);
  ~LoopTimer();
  LoopTimer(const LoopTimer&) = delete;
  LoopTimer& operator=(const LoopTimer&) = delete;

  /// (Re)arms it. Rounded up to whole milliseconds: firing early would make the owner spin.
  void start(Duration delay);
  void stop();

 private:
  struct Handle {
    uv_timer_t timer;
    std::function<void()> on_fire;
  };
  Handle* handle_;
};

}  // namespace filecall::worker
