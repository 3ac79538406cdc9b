// SPDX-License-Identifier: MIT
#include "worker/proc/guard/init.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "worker/proc/guard/started_tool.h"
#include "worker/proc/guard/tool_process.h"
#include "worker/proc/sandbox/capabilities.h"
#include "worker/proc/sandbox/namespaces.h"
#include "worker/proc/sandbox/own_mounts.h"
#include "worker/proc/sandbox/shared_tree.h"

namespace filecall::worker::guard {
namespace {

/// How long what is left of the tool's tree is waited for.
constexpr int kReapingMsMax = 10'000;

/// The tool has 0, 1 and 2, and the guard its own descriptors.
void release_descriptors() {
  for (const int fd : {0, 1, 2, kControlFd, kReportFd, kCwdFd}) ::close(fd);
}

void wait_for_orders(int signals, int orders, int timeout_ms) {
  struct pollfd fds[2] = {{signals, POLLIN, 0}, {orders, POLLIN, 0}};
  if (::poll(fds, 2, timeout_ms) <= 0) return;
  struct signalfd_siginfo info {};
  while (::read(signals, &info, sizeof info) == sizeof info) {
  }
  if (fds[1].revents == 0) return;
  char order = 0;
  // The guard is gone, or wants it so: the kernel ends the tree with its first process.
  if (::read(orders, &order, 1) <= 0) ::_exit(0);
  ::kill(-1, SIGTERM);
  ::kill(-1, SIGCONT);
}

/// Reaps what has ended; true when `tool` was among it. `has_children`: something is left.
bool reap_children(pid_t tool, int* status, bool* has_children) {
  bool has_ended = false;
  for (;;) {
    int child_status = 0;
    const pid_t pid = ::waitpid(-1, &child_status, WNOHANG | __WALL);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) {
      *has_children = pid == 0;
      return has_ended;
    }
    if (pid != tool) continue;
    *status = child_status;
    has_ended = true;
  }
}

/// False: something does not die.
bool end_the_rest(int signals) {
  const std::int64_t give_up_us = now_us() + kReapingMsMax * 1000;
  for (;;) {
    ::kill(-1, SIGKILL);
    int status = 0;
    bool has_children = false;
    reap_children(0, &status, &has_children);
    if (!has_children) return true;
    if (now_us() > give_up_us) return false;
    wait_for_orders(signals, -1, 100);
  }
}

/// The file tree that the tool sees.
StepFailure make_tree(const Options& options, const StartPlan& plan) {
  bool has_tree = false;
  if (const StepFailure failure = enter_tree(plan.prepared, &has_tree)) return failure;
  close_prepared(plan.prepared);
  if (!has_tree) {
    const std::vector<MountStep> shared = plan_shared_mounts(options.sandbox);
    if (const StepFailure failure = build_shared_tree(shared)) return failure;
  }
  return add_own_mounts(plan.own_mounts, options.sandbox.tmp_bytes);
}

}  // namespace

void run_init(const Options& options, const StartPlan& plan, const InitPipes& pipes) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct pollfd orders {
    pipes.orders, 0, 0
  };
  // The guard died before the kernel was asked to tell.
  if (::poll(&orders, 1, 0) != 0) ::_exit(127);
  if (plan.needs_map) {
    if (const StepFailure failure = map_ids(plan.user, plan.group)) {
      fail_start(pipes.failure, failure);
    }
  }
  // The tool has our uid and must not reach our descriptors.
  ::prctl(PR_SET_DUMPABLE, 0);
  if (const StepFailure failure = make_tree(options, plan)) fail_start(pipes.failure, failure);
  // Here rather than in the tool's own process: this one needs none any more, and it is done once.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    fail_start(pipes.failure, failed_at(Step::kConfine, errno));
  }
  if (const StepFailure failure = drop_capabilities()) fail_start(pipes.failure, failure);
  const pid_t init = ::getpid();
  // The tool's side never returns, and copying this process for it would cost a quarter of a
  // millisecond.
  const pid_t tool = ::vfork();
  if (tool == 0) become_tool(options, plan.start.c_str(), init, pipes.failure);
  if (tool < 0) fail_start(pipes.failure, failed_at(Step::kFork, errno));
  ::close(pipes.failure);
  release_descriptors();
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  const int signals = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  ToolEnd end;
  for (bool has_children = true; !reap_children(tool, &end.status, &has_children);) {
    wait_for_orders(signals, pipes.orders, -1);
  }
  end.ended_us = now_us();
  end.survivors = end_the_rest(signals) ? 0 : 1;
  end.usage = children_usage();
  [[maybe_unused]] const ssize_t written = ::write(pipes.end, &end, sizeof end);
  ::_exit(0);
}

}  // namespace filecall::worker::guard
