// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "base/time.h"
#include "loop/loop_handle.h"

namespace filecall {

/// A one-shot timer of a libuv loop. Loop thread only. Destruction stops it.
class LoopTimer {
 public:
  LoopTimer(uv_loop_t* loop, std::function<void()> on_fire);

  /// (Re)arms it. Rounded up to whole milliseconds: firing early would make the owner spin.
  void start(Duration delay);
  void stop();

 private:
  LoopHandle<uv_timer_t> timer_;
};

}  // namespace filecall
