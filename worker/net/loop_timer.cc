// SPDX-License-Identifier: MIT
#include "worker/net/loop_timer.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace filecall::worker {

LoopTimer::LoopTimer(uv_loop_t* loop, std::function<void()> on_fire)
    : handle_(new Handle{{}, std::move(on_fire)}) {
  CHECK(uv_timer_init(loop, &handle_->timer) == 0, "uv_timer_init cannot fail on a valid loop");
  handle_->timer.data = handle_;
}

LoopTimer::~LoopTimer() {
  handle_->on_fire = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&handle_->timer),
           [](uv_handle_t* handle) { delete static_cast<Handle*>(handle->data); });
}

void LoopTimer::start(Duration delay) {
  const auto delay_ms = std::chrono::ceil<milliseconds>(std::max(delay, Duration::zero())).count();
  uv_timer_start(
      &handle_->timer,
      [](uv_timer_t* timer) {
        auto* handle = static_cast<Handle*>(timer->data);
        if (handle->on_fire) handle->on_fire();
      },
      static_cast<std::uint64_t>(delay_ms), 0);
}

void LoopTimer::stop() { uv_timer_stop(&handle_->timer); }

}  // namespace filecall::worker
