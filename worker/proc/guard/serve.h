// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

namespace filecall::worker::guard {

/// Hands out guards until the worker closes its end of kJobsFd or dies. Each is a copy of this
/// small process and yet a child of the worker (CLONE_PARENT), so the end of the server changes
/// nothing for those that run. The server also holds what runs share of their sandboxes
/// (prepared_tree.h), and makes the guard of the next run ahead (spare_guard.h). Returns the exit
/// code.
int serve_jobs(pid_t worker);

}  // namespace filecall::worker::guard
