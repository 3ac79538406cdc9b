// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "worker/proc/guard/options.h"
#include "worker/proc/guard/report.h"
#include "worker/proc/guard/run_group.h"
#include "worker/proc/guard/started_tool.h"

namespace filecall::worker::guard {

/// Stands between the worker and one tool: starts the tool, ends all of it when the tool's main
/// process has ended, when kControlFd says so (a byte, or its end) and when the worker dies; writes
/// a Greeting and then a Report to kReportFd. The calling process has one thread, is a child of
/// `worker` and holds no descriptors but those of a job, in their places, and of `start`. Returns
/// the exit code.
int run_guarded(const ToolStart& start, pid_t worker);

/// The same in parts, for a guard whose tool is there before it: each of the first three once, in
/// this order, then guard_begun().

/// Makes this process what a guard is, whatever its run. Blocks all signals; the descriptor reports
/// those that matter. -1: the worker has died, or no descriptor is left.
int become_guard(pid_t worker);

/// Tells the worker that the run of the guard `guard` begins. False: nobody hears it.
bool greet(pid_t guard);

/// The control group of its run, if the options ask for one.
StepFailure make_group(const Options& options, pid_t guard, RunGroup* group);

struct BegunRun {
  StartedTool tool;  ///< A child of this process.
  std::int64_t started_us = 0;
  RunGroup group;
  int signals = -1;  ///< become_guard()
  pid_t worker = -1;
};

/// As run_guarded(), from when the tool has started, or has failed to.
int guard_begun(const Options& options, BegunRun run);

}  // namespace filecall::worker::guard
