// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

namespace filecall::worker::guard {

/// Everything the tool started. The guard is their subreaper: a process that loses its parent
/// becomes the guard's child, whatever session or process group it moved to.

/// Sends TERM (and CONT, so that stopped ones receive it) to the tool's process group and to each
/// descendant, once.
void ask_descendants_to_end(pid_t tool);

/// Sends KILL to each child of the guard and to the child's process group. Children alone are
/// enough: a killed child's own children become the guard's, so repeating this with reaping in
/// between ends the whole tree. A child's pid cannot be reused before the guard reaps it.
void kill_children(pid_t tool);

}  // namespace filecall::worker::guard
