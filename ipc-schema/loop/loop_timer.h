// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>

#include "base/time.h"
#include "loop/loop_handle.h"

namespace filecall {

/// A one-shot timer of a libuv loop. Loop thread only. Destruction stops it.
class LoopTimer {
 public:
  LoopTimer(uv_loop_t* loop, std::function<void()> on_fire);

  /// (Re)arms it. Rounded up to whole milliseconds: firing early would make the owner spin. From
  /// its own callback it is a millisecond at least: libuv (before 1.45) would run a timer that is
  /// due at once again in the same turn, and never come to what else there is.
  void start(Duration delay);
  void stop();

 private:
  std::shared_ptr<bool> is_firing_ = std::make_shared<bool>(false);
  LoopHandle<uv_timer_t> timer_;
};

}  // namespace filecall
