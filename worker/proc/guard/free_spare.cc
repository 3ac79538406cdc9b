// SPDX-License-Identifier: MIT
#include "worker/proc/guard/free_spare.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "worker/proc/guard/guarded_run.h"
#include "worker/proc/guard/memory_sharer.h"
#include "worker/proc/guard/passed_descriptors.h"
#include "worker/proc/guard/spare_guard.h"
#include "worker/proc/guard/tool_process.h"

namespace filecall::worker::guard {
namespace {

/// What came while there was no run is not the run's. All signals are blocked; those of real time
/// queue, so many of them at most.
void forget_signals() {
  constexpr int kQueuedMax = 1 << 16;
  sigset_t all;
  sigfillset(&all);
  const struct timespec at_once {};
  for (int i = 0; i<kQueuedMax&& ::sigtimedwait(&all, nullptr, &at_once)> 0; ++i) {
  }
}

}  // namespace

void FreeSpare::serve(pid_t worker) {
  // TERM and not KILL when the worker dies: it is blocked here, but once there is a tool it must
  // not find its guard dead. The waiting process sees the end of its sockets.
  signals_ = become_guard(worker);
  // The server's end of our socket, too: else its end would not be seen.
  if (signals_ < 0 || !close_others(kGuardDescriptors, {server_, signals_})) return;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  failure_.reset(ends[0]);
  its_failure_.reset(ends[1]);
  guard_ = ::getpid();
  const auto body = [](void* self) {
    static_cast<FreeSpare*>(self)->become_next_tool();
    return 0;
  };
  const pid_t tool = run_until_exec(body, this);
  if (tool < 0) return;
  its_failure_.reset();
  if (!has_greeted_) {
    ::waitpid(tool, nullptr, 0);
    return;
  }
  ::close(server_);
  ::close(kJobTextFd);
  BegunRun run;
  run.tool = leave_to_tool(tool, std::move(failure_));
  run.started_us = started_us_;
  run.group = std::move(group_);
  run.signals = signals_;
  run.worker = worker;
  ::_exit(guard_begun(text_->options(), std::move(run)));
}

bool FreeSpare::wait_for_job() const {
  struct pollfd news[2] = {{kJobsFd, POLLIN, 0}, {server_, POLLIN, 0}};
  return ::poll(news, 2, -1) > 0 && news[1].revents == 0;
}

bool FreeSpare::take_job() {
  Job job{};
  if (!wait_for_job() || receive_job(kJobsFd, &job) != Received::kJob) return false;
  text_.emplace(job.message, job.fds[kJobTextFd]);
  if (!text_->is_understood() || text_->options().sandbox.is_on()) {
    send_job(server_, job);
    return false;
  }
  return place_job(job, {server_, signals_, failure_.get(), its_failure_.get()});
}

void FreeSpare::become_next_tool() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It died before the kernel was asked to tell.
  if (::getppid() != guard_ || !take_job()) return;
  forget_signals();
  started_us_ = now_us();
  if (!greet(guard_)) return;
  has_greeted_ = true;
  say_taken(server_);
  const Options& options = text_->options();
  if (const StepFailure failure = make_group(options, guard_, &group_)) {
    fail_start(its_failure_.get(), failure);
  }
  become_tool(options, "", {guard_, group_.members(), its_failure_.get()});
}

}  // namespace filecall::worker::guard
