// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include "worker/proc/guard/options.h"
#include "worker/proc/guard/report.h"

namespace filecall::worker::guard {

/// What the process that becomes a tool has from its parent.
struct ToolOrigin {
  pid_t parent;
  int group_fd;    ///< Of the control group that it enters (RunGroup::members()); -1: it is there.
  int failure_fd;  ///< Takes a StepFailure.
};

/// From fork to exec: leader of its own session and process group, default signals, nothing
/// inherited but 0, 1 and 2, killed by the kernel when its parent dies; confined. `start`: the
/// directory to start in when the file tree is not the host's; empty: kCwdFd. Never returns.
[[noreturn]] void become_tool(const Options& options, const char* start, const ToolOrigin& origin);

/// Says why the tool cannot be started, and ends the process.
[[noreturn]] void fail_start(int failure_fd, const StepFailure& failure);

}  // namespace filecall::worker::guard
