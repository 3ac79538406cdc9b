// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <array>
#include <functional>
#include <memory>

#include "base/time.h"
#include "loop/loop_timer.h"

namespace filecall::worker {

/// A libuv loop whose callbacks only record that something happened: all work is taken in turns,
/// one after each poll. Everything that uses the loop must be destroyed before it. One thread.
class TurnLoop {
 public:
  struct Callbacks {
    std::function<void()> turn;
    /// Whether a turn is wanted at once; asked after everything that a turn can cause.
    std::function<bool()> is_turn_wanted;
    std::function<void(int signal)> on_signal;  ///< TERM, INT, USR1 and HUP.
  };

  TurnLoop();
  /// Lets the handles close.
  ~TurnLoop();
  TurnLoop(const TurnLoop&) = delete;
  TurnLoop& operator=(const TurnLoop&) = delete;

  uv_loop_t* get() { return &loop_; }
  /// From here on a signal is kept for run(): to be called before anybody is given the process's
  /// state, who may then send one.
  void listen(Callbacks callbacks);
  /// Takes turns until stop(); the first at once. After listen().
  void run();
  void stop() { uv_stop(&loop_); }

  /// Called in a turn, either says when the next one is: without waiting, or when something happens
  /// and at `wake` at the latest.
  void turn_again();
  void wait_until(Deadline wake, MonotonicTime now);

 private:
  Callbacks callbacks_;
  uv_loop_t loop_{};
  uv_prepare_t prepare_{};
  uv_check_t check_{};
  uv_idle_t idle_{};
  std::array<uv_signal_t, 4> signals_{};
  std::unique_ptr<LoopTimer> timer_;
};

}  // namespace filecall::worker
