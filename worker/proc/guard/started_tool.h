// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include "worker/proc/guard/init.h"
#include "worker/proc/guard/init_process.h"
#include "worker/proc/guard/job.h"
#include "worker/proc/guard/options.h"
#include "worker/proc/guard/report.h"
#include "worker/proc/guard/run_group.h"
#include "worker/proc/sandbox/mount_calls.h"
#include "worker/proc/sandbox/namespaces.h"
#include "worker/proc/sandbox/protected_names.h"

namespace filecall::worker::guard {

/// What a tool is started with; its descriptors are in a guard's places (job.h).
struct ToolStart {
  const Options& options;
  JobMessage message;  ///< Of the text at kJobTextFd that the options were read from.
  Prepared prepared;   ///< Unused with `init`.
  InitProcess init;    ///< Made ahead for these sandbox options; pid -1: there is none.
};

/// A child of the guard: the tool itself or, in a sandbox, process 1 of the tool's process tree.
struct StartedTool {
  pid_t pid = -1;  ///< -1: not started; then `failure` says why and no process is left.
  StepFailure failure;
  InitProcess init;  ///< The same process, or none.
};

/// Starts the tool; returns when exec has succeeded or failed. The text, `prepared` and, unless
/// they are the tool's, the descriptors of `init` are closed then. `names`: takes hold of the
/// protected names and must live until the tool has ended. `group`: the tool is in it, if it is
/// there.
StartedTool start_tool(const ToolStart& start, const RunGroup& group, ProtectedNames* names);

/// The end of start_tool() of a child without process 1, which has executed its program or ended:
/// the tool alone has 0, 1 and 2 then. `failure`: of a pipe that the child has the only write end
/// of, and has written a StepFailure to if it failed.
StartedTool leave_to_tool(pid_t pid, Fd failure);

/// Sends TERM (and CONT) to all that the tool started.
void ask_to_end(const StartedTool& tool);

/// What process 1 says: that the tool and all that it started have ended. False: it has said
/// nothing, or there is none. Waits for it when init.link_fd is neither readable nor at its end.
bool read_end(const StartedTool& tool, ToolEnd* end);

/// Of the children that this process has reaped, and of theirs.
ChildrenUsage children_usage();

/// Microseconds of the monotonic clock.
std::int64_t now_us();

}  // namespace filecall::worker::guard
