// SPDX-License-Identifier: MIT
#include "worker/engine/loop_pool.h"

#include <utility>

#include "loop/pool_work.h"

namespace filecall::worker {

void LoopPool::offload(std::function<void()> work, std::function<void()> after) {
  run_in_pool(loop_, std::move(work), std::move(after));
}

}  // namespace filecall::worker
