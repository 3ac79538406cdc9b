// SPDX-License-Identifier: MIT
#include "worker/proc/guard/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>

namespace filecall::worker::guard {
namespace {

/// The kernel's own list; false when it is not built in.
bool read_kernel_list(std::size_t count_max, std::vector<pid_t>* children) {
  char path[64];
  ::snprintf(path, sizeof path, "/proc/self/task/%d/children", ::getpid());
  FILE* file = ::fopen(path, "re");
  if (file == nullptr) return false;
  int pid = 0;
  while (children->size() < count_max && ::fscanf(file, "%d", &pid) == 1) children->push_back(pid);
  ::fclose(file);
  return true;
}

}  // namespace

Process read_process(pid_t pid) {
  // "pid (name) state ppid pgrp ..."; the name may hold anything, ')' included.
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
  Process process;
  process.pid = pid;
  if (after_name == nullptr ||
      ::sscanf(after_name + 1, " %c %d %d", &process.state, &process.parent, &process.group) != 3) {
    return {};
  }
  return process;
}

bool has_ended(pid_t pid) {
  if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
  const char state = read_process(pid).state;
  return state == 'Z' || state == 'X';
}

std::vector<Process> read_processes() {
  std::vector<Process> processes;
  DIR* directory = ::opendir("/proc");
  if (directory == nullptr) return processes;
  while (const dirent* entry = ::readdir(directory)) {
    char* end = nullptr;
    const long pid = ::strtol(entry->d_name, &end, 10);
    if (pid <= 0 || *end != '\0') continue;
    const Process process = read_process(static_cast<pid_t>(pid));
    if (process.parent > 0) processes.push_back(process);
  }
  ::closedir(directory);
  return processes;
}

bool has_no_new_privileges(pid_t pid) {
  char path[64];
  ::snprintf(path, sizeof path, "/proc/%d/status", pid);
  FILE* file = ::fopen(path, "re");
  if (file == nullptr) return false;
  char line[256];
  int value = 0;
  while (value == 0 && ::fgets(line, sizeof line, file) != nullptr) {
    // A name may hold anything but an unescaped end of line.
    if (::sscanf(line, "NoNewPrivs: %d", &value) == 1) break;
  }
  ::fclose(file);
  return value == 1;
}

std::vector<pid_t> read_children(std::size_t count_max) {
  std::vector<pid_t> children;
  if (read_kernel_list(count_max, &children)) return children;
  for (const Process& process : read_processes()) {
    if (process.parent == ::getpid() && children.size() < count_max)
      children.push_back(process.pid);
  }
  return children;
}

}  // namespace filecall::worker::guard
