// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>

#include "client/engine/worker_process.h"

namespace filecall::client {

/// What a worker that ended before it was ready left behind, for people: how it ended (`status` of
/// waitpid) and the last lines that it printed.
std::string describe_early_end(const WorkerStart& start, int status);

/// Whether the process has the file open: with a held lock file, that it is the holder. False also
/// when the process cannot be examined.
bool has_open(pid_t pid, const std::string& path);
/// Whether a process holds an flock(2) on that file, by the kernel's list of locks: it tells of
/// processes too whose descriptors may not be looked at (a worker keeps its own to itself).
bool holds_lock(pid_t pid, const std::string& path);

}  // namespace filecall::client
