// SPDX-License-Identifier: MIT
#include "loop/pool_work.h"

#include <memory>
#include <utility>

#include "base/check.h"

namespace filecall {
namespace {

struct PoolWork {
  uv_work_t handle{};
  std::function<void()> work;
  std::function<void()> after;
};

}  // namespace

void run_in_pool(uv_loop_t* loop, std::function<void()> work, std::function<void()> after) {
  auto* task = new PoolWork{{}, std::move(work), std::move(after)};
  task->handle.data = task;
  const int status = uv_queue_work(
      loop, &task->handle, [](uv_work_t* handle) { static_cast<PoolWork*>(handle->data)->work(); },
      [](uv_work_t* handle, int) {
        const std::unique_ptr<PoolWork> done(static_cast<PoolWork*>(handle->data));
        done->after();
      });
  CHECK(status == 0, "uv_queue_work only fails without a callback");
}

}  // namespace filecall
