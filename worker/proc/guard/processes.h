// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <vector>

/// What /proc tells of processes; for the guard and for the worker.
namespace filecall::worker::guard {

struct Process {
  pid_t pid = -1;
  pid_t parent = -1;  ///< -1: it is not known, or the process is gone.
  pid_t group = -1;
  char state = 0;  ///< As /proc tells it: 'Z' has ended, and nobody has waited for it yet.
};

Process read_process(pid_t pid);

/// It runs no more, whether or not somebody has waited for it.
bool has_ended(pid_t pid);

/// All processes that this system shows. One pass costs some milliseconds a thousand processes.
std::vector<Process> read_processes();

/// Whether exec can no more give it privileges: what a tool starts never loses this mark. False
/// also when it cannot be read.
bool has_no_new_privileges(pid_t pid);

/// The children of this process's first thread, and all that it adopted; at most `count_max`.
std::vector<pid_t> read_children(std::size_t count_max);

}  // namespace filecall::worker::guard
