// SPDX-License-Identifier: MIT
#include "loop/close_loop.h"

namespace filecall {

void close_loop(uv_loop_t& loop) {
  uv_walk(
      &loop,
      [](uv_handle_t* handle, void*) {
        if (!uv_is_closing(handle)) uv_close(handle, nullptr);
      },
      nullptr);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
}

}  // namespace filecall
