// SPDX-License-Identifier: MIT
#include "loop/loop_timer.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace filecall {

LoopTimer::LoopTimer(uv_loop_t* loop, std::function<void()> on_fire)
    : timer_([loop](uv_timer_t* timer) { return uv_timer_init(loop, timer); },
             // The callback may destroy the timer.
             [is_firing = is_firing_, on_fire = std::move(on_fire)] {
               *is_firing = true;
               on_fire();
               *is_firing = false;
             }) {}

void LoopTimer::start(Duration delay) {
  const Duration least = *is_firing_ ? Duration(milliseconds(1)) : Duration::zero();
  const auto delay_ms = std::chrono::ceil<milliseconds>(std::max(delay, least)).count();
  uv_timer_start(timer_.get(), decltype(timer_)::call, static_cast<std::uint64_t>(delay_ms), 0);
}

void LoopTimer::stop() { uv_timer_stop(timer_.get()); }

}  // namespace filecall
