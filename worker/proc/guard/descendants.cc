// SPDX-License-Identifier: MIT
#include "worker/proc/guard/descendants.h"

#include <signal.h>
#include <unistd.h>

#include <vector>

extern "C" {  // glibc 2.36 forgot it in this header.
#include <sys/pidfd.h>
}

#include "worker/proc/guard/processes.h"

namespace filecall::worker::guard {
namespace {

/// A pass looks at this many processes; a fork storm gets further passes.
constexpr std::size_t kProcessesPerPass = 4096;

void signal_if_still_child_of(pid_t pid, pid_t parent) {
  // The descriptor is taken first and the parent read again after it: a reused pid is noticed.
  const int fd = ::pidfd_open(pid, 0);
  if (fd < 0) return;
  if (read_process(pid).parent == parent) {
    ::pidfd_send_signal(fd, SIGTERM, nullptr, 0);
    ::pidfd_send_signal(fd, SIGCONT, nullptr, 0);
  }
  ::close(fd);
}

}  // namespace

void ask_descendants_to_end(pid_t tool) {
  ::kill(-tool, SIGTERM);
  ::kill(-tool, SIGCONT);
  const std::vector<Process> processes = read_processes();
  std::vector<pid_t> tree = {::getpid()};
  for (std::size_t i = 0; i < tree.size() && tree.size() < kProcessesPerPass; ++i) {
    for (const Process& process : processes) {
      if (process.parent != tree[i]) continue;
      tree.push_back(process.pid);
      // The group already has it; a second TERM would make some programs skip their clean-up.
      if (process.group != tool) signal_if_still_child_of(process.pid, tree[i]);
    }
  }
}

void kill_children(pid_t tool) {
  ::kill(-tool, SIGKILL);
  const pid_t own_group = ::getpgrp();
  for (const pid_t child : read_children(kProcessesPerPass)) {
    const pid_t group = ::getpgid(child);
    if (group > 1 && group != own_group && group != tool) ::kill(-group, SIGKILL);
    ::kill(child, SIGKILL);
  }
}

}  // namespace filecall::worker::guard
