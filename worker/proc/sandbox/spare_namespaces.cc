// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/spare_namespaces.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace filecall::worker::guard {
namespace {

/// The descriptors that the maker has opened, in the table that it shares with us.
struct MadeSet {
  int ipc = -1;
  int network = -1;
};

[[noreturn]] void hold_set(int user, bool has_network, int said) {
  if (user >= 0 && ::setns(user, CLONE_NEWUSER) != 0) ::_exit(1);
  if (::unshare(CLONE_NEWIPC | (has_network ? CLONE_NEWNET : 0)) != 0) ::_exit(1);
  Fd ipc(::open("/proc/self/ns/ipc", O_RDONLY | O_CLOEXEC));
  Fd network(has_network ? ::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC) : -1);
  const MadeSet made{ipc.release(), network.release()};
  ::_exit(::write(said, &made, sizeof made) == sizeof made ? 0 : 1);
}

}  // namespace

SpareNamespaces::~SpareNamespaces() { collect(0); }

SpareNamespaces::Purpose SpareNamespaces::purpose_of(const SandboxOptions& options,
                                                     const Prepared& tree) {
  return {tree.mounts >= 0 ? tree.generation : 0, options.uses(kNoNetwork)};
}

void SpareNamespaces::collect(int wait_options) {
  if (maker_ < 0) return;
  pid_t ended = 0;
  do {
    ended = ::waitpid(maker_, nullptr, wait_options);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return;
  maker_ = -1;
  MadeSet made;
  if (::read(said_.get(), &made, sizeof made) == sizeof made) {
    set_.ipc.reset(made.ipc);
    set_.network.reset(made.network);
  } else {
    purpose_ = {};
  }
  said_.reset();
  saying_.reset();
}

void SpareNamespaces::make_for(const SandboxOptions& options, const Prepared& tree) {
  collect(WNOHANG);
  const Purpose wanted = purpose_of(options, tree);
  if (wanted.generation == 0 || wanted == purpose_ || maker_ >= 0) return;
  set_ = {};
  purpose_ = {};
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  said_.reset(ends[0]);
  saying_.reset(ends[1]);
  maker_ = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD | CLONE_FILES, 0, 0, 0, 0));
  if (maker_ == 0) hold_set(tree.user, wanted.network, saying_.get());
  if (maker_ > 0) purpose_ = wanted;
}

SpareNamespaces::Set SpareNamespaces::take(const SandboxOptions& options, const Prepared& tree) {
  collect(WNOHANG);
  if (maker_ >= 0) return {};
  const bool is_right = purpose_.generation != 0 && purpose_ == purpose_of(options, tree);
  purpose_ = {};
  Set taken = std::move(set_);
  return is_right ? std::move(taken) : Set{};
}

}  // namespace filecall::worker::guard
