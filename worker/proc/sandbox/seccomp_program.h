// SPDX-License-Identifier: MIT
#pragma once

#include <linux/filter.h>

#include <vector>

#include "worker/proc/sandbox/sandbox_options.h"

namespace filecall::worker::guard {

/// The filter program (classic BPF over struct seccomp_data) that refuses with EPERM, for a
/// sandbox: system calls that change mounts, namespaces, modules, keys, clocks, or look into other
/// processes; io_uring (its operations pass no filter); typing into a terminal; modes with a
/// set-user-ID or set-group-ID bit; leases on files. clone3 and openat2 are answered ENOSYS, so
/// that libraries use clone and openat, whose flags a filter can see. Without network, also without
/// a sandbox: every socket but Unix ones. In a sandbox without namespaces, also what changes the
/// metadata of files, and Unix sockets but for pairs: the host's file tree is in reach there. At
/// Level::kReadOnly only the calls of usual_calls.h are left, and the others are answered ENOSYS. A
/// call of another architecture ends the program. Pure.
std::vector<struct sock_filter> make_seccomp_program(const SandboxOptions& options);

/// The same, made once in a process: those that it forks then have it. One thread.
const std::vector<struct sock_filter>& kept_seccomp_program(const SandboxOptions& options);

/// Loads it into the calling process; 0 or an errno value. no_new_privs must be set.
int load_seccomp_program(const std::vector<struct sock_filter>& program);

}  // namespace filecall::worker::guard
