// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include "worker/proc/guard/options.h"
#include "worker/proc/guard/report.h"

namespace filecall::worker::guard {

struct StartedTool {
  pid_t pid = -1;  ///< -1: not started; then `error` is set and no process is left.
  Step step = Step::kNone;
  int error = 0;
};

/// Forks and executes the tool: leader of its own session and process group, default signals,
/// nothing inherited but 0, 1 and 2, killed by the kernel when the guard dies. Returns when exec
/// has succeeded or failed.
StartedTool start_tool(const Options& options);

}  // namespace filecall::worker::guard
