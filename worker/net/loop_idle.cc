// SPDX-License-Identifier: MIT
#include "worker/net/loop_idle.h"

#include <utility>

#include "base/check.h"

namespace filecall::worker {

LoopIdle::LoopIdle(uv_loop_t* loop, std::function<void()> on_turn)
    : handle_(new Handle{{}, std::move(on_turn)}) {
  CHECK(uv_idle_init(loop, &handle_->idle) == 0, "uv_idle_init cannot fail on a valid loop");
  handle_->idle.data = handle_;
}

LoopIdle::~LoopIdle() {
  uv_idle_stop(&handle_->idle);
  uv_close(reinterpret_cast<uv_handle_t*>(&handle_->idle),
           [](uv_handle_t* handle) { delete static_cast<Handle*>(handle->data); });
}

void LoopIdle::start() {
  uv_idle_start(&handle_->idle,
                [](uv_idle_t* idle) { static_cast<Handle*>(idle->data)->on_turn(); });
}

void LoopIdle::stop() { uv_idle_stop(&handle_->idle); }

}  // namespace filecall::worker
