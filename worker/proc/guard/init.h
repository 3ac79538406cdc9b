// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "worker/proc/guard/options.h"
#include "worker/proc/guard/report.h"
#include "worker/proc/sandbox/mount_plan.h"
#include "worker/proc/sandbox/namespaces.h"

namespace filecall::worker::guard {

struct ChildrenUsage {
  std::int64_t user_us = 0;
  std::int64_t system_us = 0;
  std::int64_t max_rss_kib = 0;  ///< Of the largest single process.
};

/// What the first process of a sandbox's process tree says to the guard when the tool and all that
/// it started have ended. What is left then, this process and its file tree, takes the kernel a
/// third of a millisecond to take down, and nobody waits for it.
struct ToolEnd {
  std::int32_t status = 0;      ///< As wait() gives it.
  std::uint32_t survivors = 0;  ///< 1: something has not died in time.
  std::int64_t ended_us = 0;
  ChildrenUsage usage;
};

/// Descriptors of that process.
struct InitPipes {
  int failure = -1;  ///< Write end: a StepFailure, or its closing when the tool has started.
  int orders = -1;   ///< Read end: a byte means TERM for all, its end means KILL for all.
  int end = -1;      ///< Write end: a ToolEnd.
};

/// What the guard found out before it let the child go.
struct StartPlan {
  uid_t user = 0;
  gid_t group = 0;
  bool needs_map = false;             ///< The child is in a user namespace of its own.
  std::string start;                  ///< Where the tool starts, by its name on the host.
  std::vector<MountStep> own_mounts;  ///< Of its file tree, above what all runs share.
  Prepared prepared;
};

/// Process 1 of a sandbox: makes the file tree, starts the tool, reaps, and takes everything with
/// it when it exits (the kernel kills what is left in its process namespace). Never returns.
[[noreturn]] void run_init(const Options& options, const StartPlan& plan, const InitPipes& pipes);

}  // namespace filecall::worker::guard
