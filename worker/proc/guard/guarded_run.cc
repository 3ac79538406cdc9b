// SPDX-License-Identifier: MIT
#include "worker/proc/guard/guarded_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "worker/proc/guard/descendants.h"
#include "worker/proc/guard/report.h"

namespace filecall::worker::guard {
namespace {

/// How long the guard goes on killing descendants that do not die (or fork faster than they die).
constexpr std::int64_t kKillingMsMax = 10'000;
constexpr int kKillingPassMs = 5;
constexpr int kAwaitingMs = 100;
/// So many passes follow each other without a pause: a process that forks and exits, over and over,
/// is outrun and not waited for.
constexpr int kKillingSprint = 200;

/// Blocks all signals and returns a descriptor that reports the two that matter: a child's change,
/// and the kernel's word that the worker died.
int take_signals() {
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigaddset(&wanted, SIGTERM);
  return ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

struct Watch {
  pid_t worker = -1;
  RunGroup group;
  int signals = -1;
  int end = -1;          ///< What process 1 of a sandbox says, else -1.
  bool has_end = false;  ///< It has said something, or is gone.
  bool is_cancelled = false;
  bool is_control_open = true;
};

/// Waits for a signal or for the worker's word, at most `timeout_ms` (-1: no limit).
void wait_for_news(Watch* watch, int timeout_ms) {
  struct pollfd fds[3] = {{watch->signals, POLLIN, 0},
                          {watch->is_control_open ? kControlFd : -1, POLLIN, 0},
                          {watch->has_end ? -1 : watch->end, POLLIN, 0}};
  if (::poll(fds, 3, timeout_ms) <= 0) return;
  if (fds[2].revents != 0) watch->has_end = true;
  if (fds[0].revents != 0) {
    struct signalfd_siginfo info {};
    while (::read(watch->signals, &info, sizeof info) == sizeof info) {
      // The kernel's word, or anybody's: only with the worker's death it counts. It may be older
      // than the run, too.
      if (info.ssi_signo == SIGTERM && ::getppid() != watch->worker) watch->is_cancelled = true;
    }
  }
  if (fds[1].revents != 0) {
    watch->is_cancelled = true;
    watch->is_control_open = false;
  }
}

/// Reaps what has ended; true when the tool's main process was among it. `has_children` tells
/// whether anything is left.
bool reap(pid_t tool, int* status, bool* has_children) {
  bool tool_ended = false;
  for (;;) {
    int child_status = 0;
    const pid_t pid = ::waitpid(-1, &child_status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) {
      *has_children = pid == 0;
      return tool_ended;
    }
    if (pid != tool) continue;
    *status = child_status;
    tool_ended = true;
  }
}

enum class Ended { kTool, kEverything };

/// Waits for the end of the tool's main process, and hastens it on request. In a sandbox also for
/// the end of what it started, unless process 1 itself was killed.
Ended wait_for_tool(const Options& options, const StartedTool& tool, Watch* watch, ToolEnd* end) {
  enum class Phase { kRunning, kAsked, kKilled } phase = Phase::kRunning;
  std::int64_t kill_at_us = 0;
  for (bool has_children = true; !reap(tool.pid, &end->status, &has_children);) {
    if (watch->has_end && read_end(tool, end)) return Ended::kEverything;
    if (watch->is_cancelled && phase == Phase::kRunning) {
      ask_to_end(tool);
      kill_at_us = now_us() + options.kill_delay_ms * 1000;
      phase = Phase::kAsked;
    }
    int timeout_ms = -1;
    if (phase == Phase::kAsked) {
      const std::int64_t left_us = kill_at_us - now_us();
      if (left_us <= 0) phase = Phase::kKilled;
      timeout_ms = static_cast<int>(left_us / 1000 + 1);
    }
    if (phase == Phase::kKilled) {
      watch->group.kill();
      kill_children(tool.pid);
      timeout_ms = kKillingPassMs;
    }
    wait_for_news(watch, timeout_ms);
  }
  // It may have said it and been reaped before anyone looked.
  if (read_end(tool, end)) return Ended::kEverything;
  end->ended_us = now_us();
  return Ended::kTool;
}

/// Kills and reaps until nothing is left; false when something would not die in time.
bool end_descendants(pid_t tool, Watch* watch) {
  const std::int64_t give_up_us = now_us() + kKillingMsMax * 1000;
  for (int pass = 0;; ++pass) {
    int status = 0;
    bool has_children = false;
    reap(tool, &status, &has_children);
    // Nothing that is left is ours; what is in the group is the run's all the same.
    if (!has_children) return watch->group.end();
    if (now_us() > give_up_us) return false;
    watch->group.kill();
    kill_children(tool);
    wait_for_news(watch, pass < kKillingSprint ? 0 : kKillingPassMs);
  }
}

void tell_repositories(const std::vector<BareRepository>& found, Report* report) {
  report->repositories = static_cast<std::uint32_t>(found.size());
  for (const auto& [folder, head] : found) {
    const std::size_t size = folder.size() + head.size() + 2;
    if (report->repositories_bytes + size > sizeof report->repositories_text) return;
    char* const text = report->repositories_text + report->repositories_bytes;
    std::memcpy(text, folder.c_str(), folder.size() + 1);
    std::memcpy(text + folder.size() + 1, head.c_str(), head.size() + 1);
    report->repositories_bytes += static_cast<std::uint32_t>(size);
  }
}

/// What becomes of a tool that was begun at `started_us`; returns when all of it has ended.
Report see_end(const Options& options, const StartedTool& tool, std::int64_t started_us,
               Watch* watch) {
  Report report;
  report.is_confined = options.sandbox.uses(kNamespaces) ? 1 : 0;
  if (tool.pid < 0) {
    report.failure = tool.failure;
    return report;
  }
  watch->end = tool.init.link_fd;
  ToolEnd end;
  if (wait_for_tool(options, tool, watch, &end) == Ended::kTool) {
    end.survivors = end_descendants(tool.pid, watch) ? 0 : 1;
    end.usage = children_usage();
  }
  report.duration_us = end.ended_us - started_us;
  report.was_cancelled = watch->is_cancelled ? 1 : 0;
  report.survivors = end.survivors;
  if (WIFEXITED(end.status)) report.exit_code = WEXITSTATUS(end.status);
  if (WIFSIGNALED(end.status)) report.signal = WTERMSIG(end.status);
  report.user_us = end.usage.user_us;
  report.system_us = end.usage.system_us;
  report.max_rss_kib = end.usage.max_rss_kib;
  return report;
}

Report guard_tool(const ToolStart& start, Watch* watch, StartedTool* tool) {
  const Options& options = start.options;
  const std::int64_t started_us = now_us();
  ProtectedNames names;
  if (const StepFailure failure = make_group(options, ::getpid(), &watch->group)) {
    InitProcess init = start.init;
    end_init(&init);
    tool->failure = failure;
  } else {
    *tool = start_tool(start, watch->group, &names);
  }
  Report report = see_end(options, *tool, started_us, watch);
  if (tool->pid > 0) tell_repositories(names.repositories().set_aside(), &report);
  return report;
}

/// The first process of a sandbox is on its way out, and is this process's to reap.
void await_children(Watch* watch) {
  const std::int64_t give_up_us = now_us() + kKillingMsMax * 1000;
  for (;;) {
    int status = 0;
    bool has_children = false;
    reap(0, &status, &has_children);
    if (!has_children || now_us() > give_up_us) return;
    wait_for_news(watch, kAwaitingMs);
  }
}

/// The exit code of this process.
int tell(const Report& report, const StartedTool& tool, Watch* watch) {
  const ssize_t written = ::write(kReportFd, &report, sizeof report);
  if (tool.pid > 0) await_children(watch);
  watch->group.remove();
  return written == static_cast<ssize_t>(sizeof report) ? 0 : 1;
}

}  // namespace

int become_guard(pid_t worker) {
  const int signals = take_signals();
  // The kernel's word comes even when another process still holds the worker's end of the pipe.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != worker) return -1;  // It died before the kernel was asked to tell.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // The tool has our uid: without this it could reach our descriptors through /proc and answer in
  // our place.
  ::prctl(PR_SET_DUMPABLE, 0);
  return signals;
}

bool greet(pid_t guard) {
  ::fcntl(kReportFd, F_SETFD, FD_CLOEXEC);
  const Greeting greeting{kReportMagic, guard};
  return ::write(kReportFd, &greeting, sizeof greeting) == sizeof greeting;
}

StepFailure make_group(const Options& options, pid_t guard, RunGroup* group) {
  if (*options.group == '\0') return {};
  const int error = group->make(options.group, guard, options.limits);
  return error == 0 ? StepFailure{} : failed_at(Step::kGroup, error, group->path().c_str());
}

int run_guarded(const ToolStart& start, pid_t worker) {
  Watch watch;
  watch.worker = worker;
  watch.signals = become_guard(worker);
  if (watch.signals < 0 || !greet(::getpid())) return 1;
  // Its own session: Ctrl-C on the worker's terminal is the worker's to interpret. Only now: by its
  // group the worker tells a guard that has not greeted from what a tool has left.
  ::setsid();
  StartedTool tool;
  const Report report = guard_tool(start, &watch, &tool);
  return tell(report, tool, &watch);
}

int guard_begun(const Options& options, BegunRun run) {
  ::setsid();
  Watch watch;
  watch.worker = run.worker;
  watch.group = std::move(run.group);
  watch.signals = run.signals;
  const Report report = see_end(options, run.tool, run.started_us, &watch);
  return tell(report, run.tool, &watch);
}

}  // namespace filecall::worker::guard
