// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include "worker/proc/guard/init.h"
#include "worker/proc/guard/options.h"
#include "worker/proc/guard/report.h"
#include "worker/proc/sandbox/protected_names.h"

namespace filecall::worker::guard {

/// A child of the guard: the tool itself or, in a sandbox, process 1 of the tool's process tree.
struct StartedTool {
  pid_t pid = -1;  ///< -1: not started; then `failure` says why and no process is left.
  StepFailure failure;
  int orders_fd = -1;  ///< To process 1, else -1.
  int end_fd = -1;     ///< From process 1, else -1.
};

/// Starts the tool; returns when exec has succeeded or failed. `names`: takes hold of the protected
/// names and must live until the tool has ended.
StartedTool start_tool(const Options& options, ProtectedNames* names);

/// Sends TERM (and CONT) to all that the tool started.
void ask_to_end(const StartedTool& tool);

/// How and when the tool ended, when its child was reaped now with `status`.
ToolEnd read_end(const StartedTool& tool, int status, std::int64_t now_us);

/// Microseconds of the monotonic clock.
std::int64_t now_us();

}  // namespace filecall::worker::guard
