// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <functional>

#include "worker/engine/pool.h"

namespace filecall::worker {

/// libuv's thread pool. The loop must outlive it, and run until everything offloaded came back.
class LoopPool final : public Pool {
 public:
  explicit LoopPool(uv_loop_t* loop) : loop_(loop) {}
  void offload(std::function<void()> work, std::function<void()> after) override;

 private:
  uv_loop_t* loop_;
};

}  // namespace filecall::worker
