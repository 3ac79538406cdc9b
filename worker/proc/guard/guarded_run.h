// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include "worker/proc/guard/started_tool.h"

namespace filecall::worker::guard {

/// Stands between the worker and one tool: starts the tool, ends all of it when the tool's main
/// process has ended, when kControlFd says so (a byte, or its end) and when the worker dies; writes
/// a Greeting and then a Report to kReportFd. The calling process has one thread, is a child of
/// `worker` and holds no descriptors but those of a job, in their places, and of `start`. Returns
/// the exit code.
int run_guarded(const ToolStart& start, pid_t worker);

}  // namespace filecall::worker::guard
