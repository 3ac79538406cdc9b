// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "worker/proc/guard/job.h"
#include "worker/proc/guard/report.h"
#include "worker/proc/sandbox/namespaces.h"
#include "worker/proc/sandbox/sandbox_options.h"

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

/// What that process is given to do: the text of `places` follows, which are the directory where
/// the tool starts, by its name on the host, and as variables the paths that become read-only. With
/// it go the descriptors of the job that the tool needs.
struct InitJob {
  JobMessage tool;
  JobMessage places;
};
inline constexpr int kInitDescriptors = 5;  ///< 0, 1 and 2, kCwdFd and kJobTextFd.

/// What the guard found out before it let the child go.
struct InitPlan {
  uid_t user = 0;
  gid_t group = 0;
  bool needs_map = false;  ///< The child is in a user namespace of its own.
  Prepared prepared;
  int failure = -1;  ///< Write end: a StepFailure, or its closing when the tool has started.
  int link = -1;     ///< Takes an InitJob and then orders: a byte means TERM for all, its end KILL
                     ///< for all. Gives a ToolEnd.
};

/// Process 1 of a sandbox: makes the file tree, waits for its job, starts the tool, reaps, and
/// takes everything with it when it exits (the kernel kills what is left in its process namespace).
/// Until it has its job it does what does not depend on it, so that it can be made ahead; it holds
/// nothing of its guard's but `plan`. Never returns.
[[noreturn]] void run_init(const SandboxOptions& options, const InitPlan& plan);

}  // namespace filecall::worker::guard
