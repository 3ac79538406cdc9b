// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

namespace filecall::worker::guard {

/// Runs `body(argument)` in a child that has this process's memory and, until it executes a
/// program, its descriptors: what the child writes, opens and receives is this process's, too.
/// Returns when the child has executed a program or ended, which is this process's to reap. Like
/// vfork(), but for the descriptors, a stack of the child's own, and the waiting: the kernel counts
/// a process that waits for its vfork as load, and the child may wait for long. All signals are to
/// be blocked, and the process has one thread and one such child at a time. -1: errno says why
/// there is none.
pid_t run_until_exec(int (*body)(void*), void* argument);

}  // namespace filecall::worker::guard
