// SPDX-License-Identifier: MIT
#include "worker/proc/guard/init.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "worker/proc/guard/passed_descriptors.h"
#include "worker/proc/guard/received_job.h"
#include "worker/proc/guard/started_tool.h"
#include "worker/proc/guard/tool_process.h"
#include "worker/proc/sandbox/capabilities.h"
#include "worker/proc/sandbox/mount_plan.h"
#include "worker/proc/sandbox/namespaces.h"
#include "worker/proc/sandbox/own_mounts.h"
#include "worker/proc/sandbox/shared_tree.h"

namespace filecall::worker::guard {
namespace {

/// How long what is left of the tool's tree is waited for.
constexpr int kReapingMsMax = 10'000;

/// The places of a tool's and a guard's descriptors; what is opened meanwhile lies above them.
void occupy_places(int link) {
  for (int fd = 0; fd < kGuardDescriptors; ++fd) ::dup3(link, fd, O_CLOEXEC);
}

/// The tool has 0, 1 and 2.
void release_places() { ::close_range(0, kGuardDescriptors - 1, 0); }

void wait_for_orders(int signals, int link, int timeout_ms) {
  struct pollfd fds[2] = {{signals, POLLIN, 0}, {link, POLLIN, 0}};
  if (::poll(fds, 2, timeout_ms) <= 0) return;
  struct signalfd_siginfo info {};
  while (::read(signals, &info, sizeof info) == sizeof info) {
  }
  if (fds[1].revents == 0) return;
  char order = 0;
  // The guard is gone, or wants it so: the kernel ends the tree with its first process.
  if (::read(link, &order, 1) <= 0) ::_exit(0);
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

/// The part of the file tree that does not depend on the job.
StepFailure make_tree(const SandboxOptions& options, const Prepared& prepared) {
  bool has_tree = false;
  if (const StepFailure failure = enter_tree(prepared, &has_tree)) return failure;
  close_prepared(prepared);
  if (!has_tree) {
    if (const StepFailure failure = build_shared_tree(plan_shared_mounts(options))) return failure;
  }
  return add_own_mounts(plan_private_mounts(options), options.tmp_bytes);
}

/// All that does not depend on the job, capabilities included: this process keeps only those that
/// the last mounts need, until then.
StepFailure prepare(const SandboxOptions& options, const InitPlan& plan) {
  if (plan.needs_map) {
    if (const StepFailure failure = map_ids(plan.user, plan.group)) return failure;
  }
  // The tool has our uid and must not reach our descriptors.
  ::prctl(PR_SET_DUMPABLE, 0);
  if (const StepFailure failure = make_tree(options, plan.prepared)) return failure;
  // Here rather than in the tool's own process: this one needs none any more, and it is done once.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed_at(Step::kConfine, errno);
  return bound_capabilities();
}

struct TakenJob {
  InitJob job;
  std::vector<char> places_text;
  std::vector<char*> start, protected_paths;  ///< Into the text; each list ends with null.
  int text = -1;
};

bool read_whole(int fd, std::vector<char>* bytes) {
  for (std::size_t done = 0; done < bytes->size();) {
    const ssize_t got = ::read(fd, bytes->data() + done, bytes->size() - done);
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

/// Waits for it. False: the guard is gone, or wants nothing any more.
bool take_job(int link, TakenJob* taken) {
  int fds[kInitDescriptors];
  int count = kInitDescriptors;
  InitJob& job = taken->job;
  if (receive_with_descriptors(link, &job, sizeof job, fds, &count) != sizeof job ||
      count != kInitDescriptors) {
    return false;
  }
  taken->places_text.resize(static_cast<std::size_t>(job.places.text_bytes));
  if (!read_whole(link, &taken->places_text) ||
      !split_job(job.places, taken->places_text.data(), &taken->start, &taken->protected_paths)) {
    return false;
  }
  for (int fd = 0; fd <= 2; ++fd) ::dup2(fds[fd], fd);  // The tool's own stay open over exec.
  ::dup3(fds[3], kCwdFd, O_CLOEXEC);
  for (int i = 0; i < 4; ++i) ::close(fds[i]);
  taken->text = fds[4];
  return true;
}

/// What is left to do when the job is known; then this process has no privilege any more.
StepFailure finish(const SandboxOptions& options, const TakenJob& taken) {
  const std::vector<std::string> paths(taken.protected_paths.begin(),
                                       taken.protected_paths.end() - 1);
  const StepFailure failure = add_own_mounts(plan_covers(options, paths), options.tmp_bytes);
  return failure ? failure : clear_capabilities();
}

/// The tool's process.
pid_t start_tool_of(const TakenJob& taken, const SandboxOptions& options, int failure_fd) {
  const JobText text(taken.job.tool, taken.text);
  // The same text was understood by the guard.
  if (!text.is_understood() || text.options().sandbox != options) ::_exit(127);
  ::close(taken.text);
  const pid_t init = ::getpid();
  // The tool's side never returns, and copying this process for it would cost a quarter of a
  // millisecond.
  const pid_t tool = ::vfork();
  if (tool == 0) become_tool(text.options(), taken.start[0], {init, -1, failure_fd});
  if (tool < 0) fail_start(failure_fd, failed_at(Step::kFork, errno));
  return tool;
}

/// Until the tool and all that it started have ended.
[[noreturn]] void see_tool_end(pid_t tool, int link) {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  const int signals = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  ToolEnd end;
  for (bool has_children = true; !reap_children(tool, &end.status, &has_children);) {
    wait_for_orders(signals, link, -1);
  }
  end.ended_us = now_us();
  end.survivors = end_the_rest(signals) ? 0 : 1;
  end.usage = children_usage();
  ::send(link, &end, sizeof end, MSG_NOSIGNAL);
  ::_exit(0);
}

}  // namespace

void run_init(const SandboxOptions& options, const InitPlan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct pollfd link {
    plan.link, POLLRDHUP, 0
  };
  // The guard died before the kernel was asked to tell.
  if (::poll(&link, 1, 0) != 0) ::_exit(127);
  // A spare guard's group is the server's, and is ended with it.
  ::setsid();
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  occupy_places(plan.link);
  if (!close_others(kGuardDescriptors,
                    {plan.link, plan.failure, plan.prepared.user, plan.prepared.mounts})) {
    fail_start(plan.failure, failed_at(Step::kConfine, errno));
  }
  if (const StepFailure failure = prepare(options, plan)) fail_start(plan.failure, failure);
  TakenJob taken;
  if (!take_job(plan.link, &taken)) ::_exit(127);
  if (const StepFailure failure = finish(options, taken)) fail_start(plan.failure, failure);
  const pid_t tool = start_tool_of(taken, options, plan.failure);
  ::close(plan.failure);
  release_places();
  see_tool_end(tool, plan.link);
}

}  // namespace filecall::worker::guard
