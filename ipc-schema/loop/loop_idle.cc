// SPDX-License-Identifier: MIT
#include "loop/loop_idle.h"

#include <utility>

namespace filecall {

LoopIdle::LoopIdle(uv_loop_t* loop, std::function<void()> on_turn)
    : idle_([loop](uv_idle_t* idle) { return uv_idle_init(loop, idle); }, std::move(on_turn)) {}

void LoopIdle::start() { uv_idle_start(idle_.get(), decltype(idle_)::call); }

void LoopIdle::stop() { uv_idle_stop(idle_.get()); }

}  // namespace filecall
