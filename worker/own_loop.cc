// SPDX-License-Identifier: MIT
#include "worker/own_loop.h"

#include "base/check.h"

namespace filecall::worker {

OwnLoop::OwnLoop() { CHECK(uv_loop_init(&loop_) == 0, "a loop can be created"); }

OwnLoop::~OwnLoop() {
  uv_run(&loop_, UV_RUN_DEFAULT);
  uv_loop_close(&loop_);
}

void OwnLoop::answered() {
  CHECK(left_ > 0, "an answer was expected");
  // A loop that is stopped before it runs returns at once, with others still expected.
  if (--left_ == 0 && is_running_) uv_stop(&loop_);
}

void OwnLoop::run() {
  is_running_ = true;
  if (left_ > 0) uv_run(&loop_, UV_RUN_DEFAULT);
  is_running_ = false;
}

}  // namespace filecall::worker
