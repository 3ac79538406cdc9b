// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "loop/loop_handle.h"

namespace filecall {

/// Calls a function in every turn of a libuv loop, which does not wait for events meanwhile: after
/// the timers that are due, before the events. For work that is done piece by piece. Loop thread
/// only. Destruction stops it.
class LoopIdle {
 public:
  LoopIdle(uv_loop_t* loop, std::function<void()> on_turn);

  void start();
  void stop();

 private:
  LoopHandle<uv_idle_t> idle_;
};

}  // namespace filecall
