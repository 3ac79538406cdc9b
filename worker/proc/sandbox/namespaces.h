// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include "worker/proc/guard/report.h"
#include "worker/proc/sandbox/sandbox_options.h"

namespace filecall::worker::guard {

/// Descriptors of namespaces that were made ahead of a run; -1: there is none.
struct Prepared {
  int user = -1;    ///< The run is put into it; it owns the others.
  int mounts = -1;  ///< With the shared file tree; the run gets a copy.
};

void close_prepared(const Prepared& prepared);

/// Like fork(), the child in new namespaces that the options use, but for mounts: when the options
/// use kNamespaces, the child calls enter_tree().
/// Without the right to make namespaces directly (CAP_SYS_ADMIN) it gets a user namespace too, in
/// which it has it: a new one, and `needs_map` is set (the child must then call map_ids() first),
/// or the prepared one. -1: errno says why.
pid_t fork_into_namespaces(const SandboxOptions& options, const Prepared& prepared,
                           bool* needs_map);

/// In the child: a mount namespace of its own. `has_tree`: its file tree is a copy of the prepared
/// one; else it is the host's.
StepFailure enter_tree(const Prepared& prepared, bool* has_tree);

/// In the child: the user and group that it had stay what they are.
StepFailure map_ids(uid_t user, gid_t group);

/// True when fork_into_namespaces() needs a user namespace.
bool needs_user_namespace();

}  // namespace filecall::worker::guard
