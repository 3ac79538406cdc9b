// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include "worker/proc/guard/options.h"
#include "worker/proc/guard/report.h"

namespace filecall::worker::guard {

/// From fork to exec: leader of its own session and process group, default signals, nothing
/// inherited but 0, 1 and 2, killed by the kernel when `parent` dies; confined. `start`: the
/// directory to start in when the file tree is not the host's; empty: kCwdFd. What fails is
/// written to `failure_fd`. Never returns.
[[noreturn]] void become_tool(const Options& options, const char* start, pid_t parent,
                              int failure_fd);

/// Says why the tool cannot be started, and ends the process.
[[noreturn]] void fail_start(int failure_fd, const StepFailure& failure);

}  // namespace filecall::worker::guard
