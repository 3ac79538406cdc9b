// SPDX-License-Identifier: MIT
#include "worker/proc/guard/probe.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "worker/proc/guard/confine.h"
#include "worker/proc/sandbox/capabilities.h"
#include "worker/proc/sandbox/landlock.h"
#include "worker/proc/sandbox/mount_plan.h"
#include "worker/proc/sandbox/namespaces.h"
#include "worker/proc/sandbox/own_mounts.h"
#include "worker/proc/sandbox/shared_tree.h"

namespace filecall::worker::guard {
namespace {

/// What the options ask for, done as for a tool that has no directory of its own.
StepFailure become_confined(const SandboxOptions& options, bool needs_map, uid_t user,
                            gid_t group) {
  if (needs_map) {
    if (const StepFailure failure = map_ids(user, group)) return failure;
  }
  if (options.uses(kNamespaces)) {
    bool has_tree = false;
    if (const StepFailure failure = enter_tree({}, &has_tree)) return failure;
    if (const StepFailure failure = build_shared_tree(plan_shared_mounts(options))) return failure;
    if (const StepFailure failure =
            add_own_mounts(plan_private_mounts(options), options.tmp_bytes)) {
      return failure;
    }
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (const StepFailure failure = drop_capabilities()) return failure;
  }
  return confine(options);
}

/// An errno value, 0 when all of it can be had; -1: cannot tell.
int try_protections(std::uint32_t protections) {
  SandboxOptions options;
  options.level = Level::kReadOnly;
  options.network = (protections & kNoNetwork) == 0;
  options.protections = protections;
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  bool needs_map = false;
  const pid_t child = fork_into_namespaces(options, {}, &needs_map);
  if (child < 0) return errno;
  if (child == 0) ::_exit(become_confined(options, needs_map, user, group).error);
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

int try_protection(Protection protection) {
  if (protection == kScopes) return landlock_abi() >= 6 ? 0 : ENOSYS;
  // An own /proc needs the processes that it shows.
  return try_protections(protection == kProc ? kNamespaces | kProc : protection);
}

}  // namespace

int print_probe() {
  bool is_known = true;
  for (const ProtectionText& text : kProtectionTexts) {
    const int error = try_protection(text.bit);
    if (error == 0) {
      ::printf("%s\tok\n", text.name);
    } else {
      ::printf("%s\t%s; %s\t%s\n", text.name, error > 0 ? ::strerror(error) : "it cannot be tried",
               text.loss, text.advice);
    }
    is_known = is_known && error >= 0;
  }
  return ::fflush(stdout) == 0 && is_known ? 0 : 1;
}

}  // namespace filecall::worker::guard
