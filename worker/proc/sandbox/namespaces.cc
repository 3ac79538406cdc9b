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

}  // namespace

bool needs_user_namespace() {
  struct __user_cap_header_struct header {
    _LINUX_CAPABILITY_VERSION_3, 0
  };
  struct __user_cap_data_struct data[2] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return true;
  return (data[0].effective & (1U << CAP_SYS_ADMIN)) == 0;
}

pid_t fork_into_namespaces(const SandboxOptions& options) {
  unsigned long flags = SIGCHLD;
  if (options.uses(kNamespaces)) {
    flags |= CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
  }
  if (options.uses(kNoNetwork)) flags |= CLONE_NEWNET;
  if (flags != SIGCHLD && needs_user_namespace()) flags |= CLONE_NEWUSER;
  // Not fork(): only the raw call takes namespaces. The process has one thread.
  return static_cast<pid_t>(::syscall(SYS_clone, flags, 0, 0, 0, 0));
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
