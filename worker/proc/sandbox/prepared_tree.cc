// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/prepared_tree.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "worker/proc/sandbox/mount_plan.h"
#include "worker/proc/sandbox/shared_tree.h"

namespace filecall::worker::guard {
namespace {

/// The descriptors that the maker has opened, in the table that it shares with us.
struct MadeTree {
  int user = -1;
  int mounts = -1;
};

/// In a process of its own, which is the first of its mount, process and user namespaces.
[[noreturn]] void hold_tree(const std::vector<MountStep>& plan, bool needs_map, uid_t user,
                            gid_t group, int said) {
  if (needs_map && map_ids(user, group)) ::_exit(1);
  // Here, because the new tree has no /proc of the host.
  Fd users(needs_map ? ::open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC) : -1);
  Fd mounts(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
  if (!mounts.is_open() || (needs_map && !users.is_open()) || build_shared_tree(plan)) {
    users.reset();
    mounts.reset();
    ::_exit(1);
  }
  const MadeTree made{users.release(), mounts.release()};
  ::_exit(::write(said, &made, sizeof made) == sizeof made ? 0 : 1);
}

void await(pid_t child) {
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Fd watch_mounts() { return Fd(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)); }

/// Asking takes the news away.
bool has_news(int watch) {
  struct pollfd change {
    watch, POLLPRI, 0
  };
  return ::poll(&change, 1, 0) != 0;
}

}  // namespace

PreparedTree::PreparedTree() : watch_(watch_mounts()) {}

void PreparedTree::forget() {
  user_.reset();
  mounts_.reset();
}

bool PreparedTree::is_same(const std::vector<MountStep>& plan, int watch) const {
  return !has_news(watch) && plan == plan_ && look_at_host(plan) == facts_;
}

bool PreparedTree::is_current(const SandboxOptions& options, int watch) const {
  return is_same(plan_shared_mounts(options), watch);
}

Fd PreparedTree::watch_again() {
  if (!mounts_.is_open()) return {};
  // Before the old one is asked: between them they miss no change.
  Fd watch = watch_mounts();
  if (!has_news(watch_.get())) return watch;
  forget();
  return {};
}

Prepared PreparedTree::ready_for(const SandboxOptions& options) {
  if (!watch_.is_open() || !options.uses(kNamespaces) || !options.uses(kSeccomp)) return {};
  std::vector<MountStep> plan = plan_shared_mounts(options);
  // Asked first: news that is left would be that of the next tree.
  if (!is_same(plan, watch_.get()) || !mounts_.is_open()) {
    forget();
    // Before the tree: what changes in between makes it stale.
    facts_ = look_at_host(plan);
    plan_ = std::move(plan);
    make();
  }
  return last();
}

Prepared PreparedTree::last() const {
  Prepared prepared;
  prepared.user = user_.get();
  prepared.mounts = mounts_.get();
  return prepared;
}

void PreparedTree::make() {
  int said[2];
  if (::pipe2(said, O_CLOEXEC | O_NONBLOCK) != 0) return;
  const bool needs_map = needs_user_namespace();
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  // The /proc of the tree is that of a process tree without processes.
  const unsigned long flags = SIGCHLD | CLONE_FILES | CLONE_NEWNS | CLONE_NEWPID |
                              static_cast<unsigned long>(needs_map ? CLONE_NEWUSER : 0);
  const auto maker = static_cast<pid_t>(::syscall(SYS_clone, flags, 0, 0, 0, 0));
  if (maker == 0) hold_tree(plan_, needs_map, user, group, said[1]);
  MadeTree made;
  if (maker > 0) {
    await(maker);
    if (::read(said[0], &made, sizeof made) == sizeof made) {
      user_.reset(made.user);
      mounts_.reset(made.mounts);
    }
  }
  for (const int end : said) ::close(end);
}

}  // namespace filecall::worker::guard
