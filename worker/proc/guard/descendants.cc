// SPDX-License-Identifier: MIT
#include "worker/proc/guard/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

extern "C" {  // glibc 2.36 forgot it in this header.
#include <sys/pidfd.h>
}

namespace filecall::worker::guard {
namespace {

/// A pass looks at this many processes; a fork storm gets further passes.
constexpr std::size_t kProcessesPerPass = 4096;

struct ProcessFacts {
  pid_t parent = -1;
  pid_t group = -1;
};

/// /proc/PID/stat: "pid (name) state ppid pgrp ..."; the name may hold anything, ')' included.
ProcessFacts read_facts(pid_t pid) {
  char path[64];
  ::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  char text[512];
  const ssize_t size = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (size <= 0) return {};
  text[size] = '\0';
  const char* after_name = ::strrchr(text, ')');
  ProcessFacts facts;
  char state = 0;
  if (after_name == nullptr ||
      ::sscanf(after_name + 1, " %c %d %d", &state, &facts.parent, &facts.group) != 3) {
    return {};
  }
  return facts;
}

struct Process {
  pid_t pid;
  ProcessFacts facts;
};

/// All processes this system shows us. One pass over /proc costs some milliseconds a thousand
/// processes; it runs only when a tool is being ended.
std::vector<Process> read_processes() {
  std::vector<Process> processes;
  DIR* directory = ::opendir("/proc");
  if (directory == nullptr) return processes;
  while (const dirent* entry = ::readdir(directory)) {
    char* end = nullptr;
    const long pid = ::strtol(entry->d_name, &end, 10);
    if (pid <= 0 || *end != '\0') continue;
    const ProcessFacts facts = read_facts(static_cast<pid_t>(pid));
    if (facts.parent > 0) processes.push_back({static_cast<pid_t>(pid), facts});
  }
  ::closedir(directory);
  return processes;
}

/// The kernel's own list of the guard's children; false when it is not built in.
bool read_children(std::vector<pid_t>* children) {
  char path[64];
  ::snprintf(path, sizeof path, "/proc/self/task/%d/children", ::getpid());
  FILE* file = ::fopen(path, "re");
  if (file == nullptr) return false;
  int pid = 0;
  while (children->size() < kProcessesPerPass && ::fscanf(file, "%d", &pid) == 1) {
    children->push_back(pid);
  }
  ::fclose(file);
  return true;
}

void signal_if_still_child_of(pid_t pid, pid_t parent) {
  // The descriptor is taken first and the parent read again after it: a reused pid is noticed.
  const int fd = ::pidfd_open(pid, 0);
  if (fd < 0) return;
  if (read_facts(pid).parent == parent) {
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
      if (process.facts.parent != tree[i]) continue;
      tree.push_back(process.pid);
      // The group already has it; a second TERM would make some programs skip their clean-up.
      if (process.facts.group != tool) signal_if_still_child_of(process.pid, tree[i]);
    }
  }
}

void kill_children(pid_t tool) {
  ::kill(-tool, SIGKILL);
  std::vector<pid_t> children;
  if (!read_children(&children)) {
    for (const Process& process : read_processes()) {
      if (process.facts.parent == ::getpid()) children.push_back(process.pid);
    }
  }
  const pid_t own_group = ::getpgrp();
  for (const pid_t child : children) {
    const pid_t group = ::getpgid(child);
    if (group > 1 && group != own_group && group != tool) ::kill(-group, SIGKILL);
    ::kill(child, SIGKILL);
  }
}

}  // namespace filecall::worker::guard
