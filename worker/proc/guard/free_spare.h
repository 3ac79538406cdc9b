// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "worker/proc/guard/received_job.h"
#include "worker/proc/guard/run_group.h"
#include "worker/proc/sandbox/mount_calls.h"

namespace filecall::worker::guard {

/// The spare guard (spare_guard.h) of a run without a sandbox. It makes the tool's process ahead,
/// too: a child that has its memory and descriptors (memory_sharer.h) and waits for the job in its
/// place. That process takes the job, greets for the guard, and executes the program; the guard
/// wakes up then. So a run begins with the waking of one process, and no fork is in its way.
class FreeSpare {
 public:
  /// `server`: a socket to the server.
  explicit FreeSpare(int server) : server_(server) {}

  /// Returns when there was no job for it; else ends the process with its run.
  void serve(pid_t worker);

 private:
  /// In the tool's process. Returns when there is no tool to become.
  void become_next_tool();
  bool wait_for_job() const;
  bool take_job();

  int server_;
  int signals_ = -1;
  pid_t guard_ = -1;
  Fd failure_, its_failure_;
  // What the tool's process leaves to the guard.
  std::optional<JobText> text_;
  RunGroup group_;
  std::int64_t started_us_ = 0;
  bool has_greeted_ = false;
};

}  // namespace filecall::worker::guard
