// SPDX-License-Identifier: MIT
#include "worker/proc/own_children.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "worker/proc/guard/processes.h"

namespace filecall::worker {
namespace {

/// A pass looks at this many; what is left gets further passes.
constexpr std::size_t kChildrenPerPass = 4096;

bool is_of_a_tool(pid_t child) {
  return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || guard::has_no_new_privileges(child);
}

}  // namespace

OwnChildren& OwnChildren::of_process() {
  static OwnChildren children;
  return children;
}

void OwnChildren::adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

void OwnChildren::forget(pid_t child) {
  servers_.erase(child);
  guards_.erase(child);
}

void OwnChildren::expect(const void* listener, std::function<void()> hear) {
  listeners_[listener] = std::move(hear);
}

void OwnChildren::hear_all() {
  const auto listeners = listeners_;
  for (const auto& [listener, hear] : listeners) hear();
}

bool OwnChildren::is_guard(pid_t child) {
  hear_all();
  return guards_.contains(child);
}

bool OwnChildren::has_guard_in(pid_t server) {
  hear_all();
  return std::any_of(guards_.begin(), guards_.end(), [&](pid_t guard) {
    return ::getpgid(guard) == server && !guard::has_ended(guard);
  });
}

bool OwnChildren::end_orphans() {
  struct Seen {
    pid_t pid, group;
  };
  std::vector<Seen> children;
  for (const pid_t pid : guard::read_children(kChildrenPerPass)) {
    children.push_back({pid, ::getpgid(pid)});
  }
  // Afterwards: who was seen outside of a server's group has said before that it is a guard.
  hear_all();
  bool is_clean = true;
  for (const auto& [pid, group] : children) {
    if (guards_.contains(pid) || servers_.contains(pid) || servers_.contains(group)) continue;
    // None has a number that is used again: it is reaped here.
    const bool is_reaped = ::waitpid(pid, nullptr, WNOHANG | __WALL) == pid;
    if (!is_reaped && !is_of_a_tool(pid)) continue;
    // What it had started may have come to this process after the list was read.
    is_clean = false;
    if (is_reaped) continue;
    if (group > 1 && group != ::getpgrp()) ::kill(-group, SIGKILL);
    ::kill(pid, SIGKILL);
  }
  return is_clean;
}

}  // namespace filecall::worker
