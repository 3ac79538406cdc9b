// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "worker/proc/guard/init.h"
#include "worker/proc/guard/job.h"
#include "worker/proc/sandbox/namespaces.h"
#include "worker/proc/sandbox/sandbox_options.h"

namespace filecall::worker::guard {

/// Process 1 of a sandbox (init.h), as its guard, whose child it is, has it. Both descriptors are
/// the guard's and close-on-exec.
struct InitProcess {
  pid_t pid = -1;       ///< -1: there is none.
  int link_fd = -1;     ///< Takes its job and then orders; gives a ToolEnd.
  int failure_fd = -1;  ///< Gives a StepFailure, or its end when the tool has started.
};

/// Starts it; it takes no job yet. Places below kGuardDescriptors are taken. `prepared` stays open.
/// pid -1: errno says why.
InitProcess make_init(const SandboxOptions& options, const Prepared& prepared);

/// Gives it the job whose descriptors are in a guard's places. A process that has ended is no
/// failure here: the end of its descriptors says so.
void give_job(const InitProcess& init, const JobMessage& tool, const std::string& start,
              const std::vector<std::string>& protected_paths);

/// Ends it before its tool has started, and reaps it.
void end_init(InitProcess* init);

}  // namespace filecall::worker::guard
