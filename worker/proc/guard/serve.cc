// SPDX-License-Identifier: MIT
#include "worker/proc/guard/serve.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "worker/proc/guard/guarded_run.h"
#include "worker/proc/guard/job.h"
#include "worker/proc/guard/received_job.h"
#include "worker/proc/guard/spare_guard.h"
#include "worker/proc/sandbox/prepared_tree.h"
#include "worker/proc/sandbox/seccomp_program.h"

namespace filecall::worker::guard {
namespace {

void report_no_guard(int fd, int error) {
  struct {
    Greeting greeting;
    Report report;
  } said;
  static_assert(sizeof said == sizeof said.greeting + sizeof said.report);
  said.greeting.guard = -1;
  said.report.failure = failed_at(Step::kFork, error);
  [[maybe_unused]] const ssize_t written = ::write(fd, &said, sizeof said);
}

/// What runs are given ready-made.
struct Ahead {
  PreparedTree tree;
  SpareGuard spare;
  SandboxOptions last;     ///< The next run is taken to be like the last.
  bool is_wanted = false;  ///< A run has begun since the last spare guard was made.
};

/// A job that is not understood is dropped: the worker sees its pipes end.
void start_guard(const Job& job, Ahead* ahead, pid_t worker) {
  const JobText text(job.message, job.fds[kJobTextFd]);
  if (!text.is_understood()) return;
  const SandboxOptions& sandbox = text.options().sandbox;
  const Prepared prepared = ahead->tree.ready_for(sandbox);
  // Made here once, and not in each tool.
  if (sandbox.uses(kSeccomp)) kept_seccomp_program(sandbox);
  const auto child = static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
  if (child == 0) {
    if (!place_job(job, {prepared.user, prepared.mounts})) ::_exit(1);
    ::_exit(run_guarded({text.options(), job.message, prepared, {}}, worker));
  }
  if (child < 0) report_no_guard(job.fds[kReportFd], errno);
  ahead->last = sandbox;
  ahead->is_wanted = true;
}

/// Takes the descriptors that a guard has, so that what is opened from now on lies above them.
void reserve_descriptors() {
  for (int fd = kJobsFd + 1; fd < kGuardDescriptors; ++fd) ::dup3(0, fd, O_CLOEXEC);
}

/// Waits for a job, or for news of the spare guard while there is one; meanwhile makes what the
/// next run needs, and holds on to nothing that the host unmounts.
void await_job(Ahead* ahead, pid_t worker) {
  for (;;) {
    const bool has_spare = ahead->spare.is_there();
    struct pollfd news[2] = {{has_spare ? ahead->spare.socket() : kJobsFd, POLLIN, 0},
                             {ahead->tree.watch_fd(), POLLPRI, 0}};
    const bool may_make = !has_spare && ahead->is_wanted;
    if (::poll(news, 2, may_make ? 0 : -1) < 0) return;
    if (news[1].revents != 0) ahead->tree.forget();
    if (news[0].revents != 0) return;
    if (!may_make) continue;
    // Once for each run: one that ends unused is not made again while nothing runs.
    ahead->is_wanted = false;
    ahead->spare.make_for(ahead->last, &ahead->tree, worker);
  }
}

/// The next job, from the socket or from the spare guard.
Received next_job(Ahead* ahead, Job* job) {
  if (!ahead->spare.is_there()) return receive_job(kJobsFd, job);
  switch (ahead->spare.hear(job)) {
    case SpareGuard::News::kGiven:
      return Received::kJob;
    case SpareGuard::News::kTaken:
      ahead->is_wanted = true;
      return Received::kNothing;
    case SpareGuard::News::kEnded:
      break;
  }
  return Received::kNothing;
}

}  // namespace

int serve_jobs(pid_t worker) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != worker) return 0;
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  // Jobs hold what tools are given; nobody else of this user is to read them here.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::fcntl(kJobsFd, F_SETFD, FD_CLOEXEC);
  reserve_descriptors();
  Ahead ahead;
  for (;;) {
    await_job(&ahead, worker);
    Job job{};
    const Received received = next_job(&ahead, &job);
    if (received == Received::kEnd) return 0;
    if (received == Received::kNothing) continue;
    start_guard(job, &ahead, worker);
    close_job(job);
  }
}

}  // namespace filecall::worker::guard
