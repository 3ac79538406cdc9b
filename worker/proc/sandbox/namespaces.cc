// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/namespaces.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace filecall::worker::guard {
namespace {

int write_whole(const char* path, const char* text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const auto size = static_cast<ssize_t>(::strlen(text));
  const int error = ::write(fd, text, static_cast<std::size_t>(size)) == size ? 0 : errno;
  ::close(fd);
  return error;
}

/// Not fork(): only the raw call takes namespaces. The process has one thread.
pid_t fork_with(unsigned long flags) {
  return static_cast<pid_t>(::syscall(SYS_clone, flags, 0, 0, 0, 0));
}

/// The child is in the user namespace, and this process stays where it is: a process between the
/// two, which shares our memory and has ended when this returns, goes there.
pid_t fork_within(int user_namespace, unsigned long flags) {
  volatile pid_t child = -1;
  const pid_t between = ::vfork();
  if (between == 0) {
    if (::setns(user_namespace, CLONE_NEWUSER) == 0) child = fork_with(flags | CLONE_PARENT);
    if (child == 0) return 0;  // On a copy of the stack.
    ::_exit(0);
  }
  if (between < 0) return -1;
  const int error = errno;
  while (::waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
  }
  // Entering a user namespace may have made our memory readable for others of our user.
  ::prctl(PR_SET_DUMPABLE, 0);
  errno = error;
  return child;
}

}  // namespace

bool needs_user_namespace() {
  struct __user_cap_header_struct header {
    _LINUX_CAPABILITY_VERSION_3, 0
  };
  struct __user_cap_data_struct data[2] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return true;
  return (data[0].effective & (1U << CAP_SYS_ADMIN)) == 0;
}

void close_prepared(const Prepared& prepared) {
  for (const int fd : {prepared.user, prepared.mounts}) {
    if (fd >= 0) ::close(fd);
  }
}

pid_t fork_into_namespaces(const SandboxOptions& options, const Prepared& prepared,
                           bool* needs_map) {
  unsigned long flags = SIGCHLD;
  // The mount namespace is made by enter_tree(), which knows what of.
  if (options.uses(kNamespaces)) flags |= CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWIPC;
  if (options.uses(kNoNetwork)) flags |= CLONE_NEWNET;
  *needs_map = false;
  if (prepared.user >= 0) {
    const pid_t child = fork_within(prepared.user, flags);
    if (child >= 0) return child;
  }
  if (flags != SIGCHLD && needs_user_namespace()) {
    flags |= CLONE_NEWUSER;
    *needs_map = true;
  }
  return fork_with(flags);
}

StepFailure enter_tree(const Prepared& prepared, bool* has_tree) {
  *has_tree = prepared.mounts >= 0 && ::setns(prepared.mounts, CLONE_NEWNS) == 0;
  return ::unshare(CLONE_NEWNS) == 0 ? StepFailure{} : failed_at(Step::kNamespaces, errno);
}

StepFailure map_ids(uid_t user, gid_t group) {
  // A process that is not dumpable does not own its files in /proc.
  ::prctl(PR_SET_DUMPABLE, 1);
  char users[64];
  char groups[64];
  ::snprintf(users, sizeof users, "%u %u 1", user, user);
  ::snprintf(groups, sizeof groups, "%u %u 1", group, group);
  const char* const files[][2] = {{"/proc/self/setgroups", "deny"},
                                  {"/proc/self/uid_map", users},
                                  {"/proc/self/gid_map", groups}};
  for (const auto& [path, text] : files) {
    if (const int error = write_whole(path, text); error != 0) {
      return failed_at(Step::kNamespaces, error, path);
    }
  }
  return {};
}

}  // namespace filecall::worker::guard
