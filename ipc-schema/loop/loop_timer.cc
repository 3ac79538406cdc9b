// SPDX-License-Identifier: MIT
#include "loop/loop_timer.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace filecall {

LoopTimer::LoopTimer(uv_loop_t* loop, std::function<void()> on_fire)
    : timer_([loop](uv_timer_t* timer) { return uv_timer_init(loop, timer); }, std::move(on_fire)) {
}

void LoopTimer::start(Duration delay) {
  const auto delay_ms = std::chrono::ceil<milliseconds>(std::max(delay, Duration::zero())).count();
  uv_timer_start(timer_.get(), decltype(timer_)::call, static_cast<std::uint64_t>(delay_ms), 0);
}

void LoopTimer::stop() { uv_timer_stop(timer_.get()); }

}  // namespace filecall
