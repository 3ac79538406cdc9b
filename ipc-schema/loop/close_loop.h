// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

namespace filecall {

/// Closes every handle of the loop, runs it until all their callbacks were called, and closes it.
/// The loop's thread; no callback of the loop may be running.
void close_loop(uv_loop_t& loop);

}  // namespace filecall
