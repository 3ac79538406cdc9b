// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>

#include "worker/proc/guard/options.h"

/// Folders of control groups (cgroup v2); for the guard and for the worker.
namespace filecall::worker::guard {

/// Writes to a file of the group; 0 or an errno value.
int write_group_file(int group, const char* name, const std::string& text);

/// Sets those limits of which the kernel has a controller in the group; 0 or an errno value.
int set_group_limits(int group, const Limits& limits);

/// True when no process is in it, nor in one that was made in it.
bool is_group_empty(int group);

/// Kills all that is in the group `name` of the folder `parent`, and removes it with those that
/// were made in it. True: it is not there any more; else it is to be tried again, because what is
/// killed needs a moment to end.
bool end_group(int parent, const char* name);

}  // namespace filecall::worker::guard
