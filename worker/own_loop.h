// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <cstddef>

namespace filecall::worker {

/// A loop for questions that are asked beside the worker's own loop, and for which somebody waits.
/// Whatever uses it must be destroyed before it. One thread.
class OwnLoop {
 public:
  OwnLoop();
  /// Lets the handles close.
  ~OwnLoop();
  OwnLoop(const OwnLoop&) = delete;
  OwnLoop& operator=(const OwnLoop&) = delete;

  uv_loop_t* get() { return &loop_; }
  /// One answer more is waited for; call it before the question is asked.
  void expect() { ++left_; }
  /// It came, perhaps while it was being asked for.
  void answered();
  /// Returns once all came that were expected.
  void run();

 private:
  uv_loop_t loop_;
  std::size_t left_ = 0;
  bool is_running_ = false;
};

}  // namespace filecall::worker
