// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <functional>

namespace filecall {

/// Runs `work` on a thread of libuv's pool, then `after` on the loop. Call it on the loop's thread;
/// the loop runs until `after` has.
void run_in_pool(uv_loop_t* loop, std::function<void()> work, std::function<void()> after);

}  // namespace filecall
