// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <functional>
#include <utility>

#include "base/check.h"

namespace filecall {

/// A handle of a libuv loop (uv_timer_t, uv_poll_t, ...) that calls `on_event` with what libuv's
/// callback has beside the handle (`Args`). Loop thread only. Destruction, which `on_event` may
/// bring about, ends the calls at once; the handle itself is closed by the loop, which must run
/// once more for that.
template <typename Handle, typename... Args>
class LoopHandle {
 public:
  /// `init(handle)` makes it a handle of its loop and returns libuv's status; a failure is a
  /// programmer error.
  template <typename Init>
  LoopHandle(Init init, std::function<void(Args...)> on_event)
      : block_(new Block{{}, std::move(on_event), true}) {
    CHECK(init(&block_->handle) == 0, "a handle fits a valid loop");
    block_->handle.data = block_;
  }
  ~LoopHandle() {
    block_->is_owned = false;
    uv_close(reinterpret_cast<uv_handle_t*>(&block_->handle),
             [](uv_handle_t* handle) { delete static_cast<Block*>(handle->data); });
  }
  LoopHandle(const LoopHandle&) = delete;
  LoopHandle& operator=(const LoopHandle&) = delete;

  Handle* get() { return &block_->handle; }
  /// The callback to start it with.
  static void call(Handle* handle, Args... args) {
    auto* block = static_cast<Block*>(handle->data);
    if (block->is_owned) block->on_event(args...);
  }

 private:
  struct Block {
    Handle handle;
    std::function<void(Args...)> on_event;
    bool is_owned;
  };
  Block* block_;
};

}  // namespace filecall
