// SPDX-License-Identifier: MIT
#include "worker/proc/guard/tool_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "worker/proc/guard/confine.h"

namespace filecall::worker::guard {
namespace {

struct StartFailure {
  Step step;
  int error;
};

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void fail_start(int failure_fd, Step step, int error) {
  const StartFailure failure{step, error};
  [[maybe_unused]] const ssize_t written = ::write(failure_fd, &failure, sizeof failure);
  ::_exit(127);
}

[[noreturn]] void run_tool(const Options& options, pid_t guard, int failure_fd) {
  reset_signals();
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_DUMPABLE, 1);
  if (::getppid() != guard) ::_exit(127);  // It died before the kernel was asked to tell.
  if (::fchdir(kCwdFd) != 0) fail_start(failure_fd, Step::kDirectory, errno);
  // Close-on-exec rather than closed: the failure pipe must last until exec has succeeded.
  if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
    fail_start(failure_fd, Step::kConfine, errno);
  }
  if (const int error = confine(); error != 0) fail_start(failure_fd, Step::kConfine, error);
  if (const int error = apply_limits(options.limits); error != 0) {
    fail_start(failure_fd, Step::kLimits, error);
  }
  ::execve(options.program, options.argv, environ);
  fail_start(failure_fd, Step::kExec, errno);
}

}  // namespace

StartedTool start_tool(const Options& options) {
  int failure_pipe[2];
  if (::pipe2(failure_pipe, O_CLOEXEC) != 0) return {-1, Step::kFork, errno};
  const pid_t guard = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) run_tool(options, guard, failure_pipe[1]);
  const int fork_error = errno;
  ::close(failure_pipe[1]);
  StartFailure failure{};
  ssize_t got = 0;
  if (pid > 0) {
    do {
      got = ::read(failure_pipe[0], &failure, sizeof failure);
    } while (got < 0 && errno == EINTR);
  }
  ::close(failure_pipe[0]);
  if (pid < 0) return {-1, Step::kFork, fork_error};
  if (got == static_cast<ssize_t>(sizeof failure)) {
    ::waitpid(pid, nullptr, 0);
    return {-1, failure.step, failure.error};
  }
  return {pid, Step::kNone, 0};
}

}  // namespace filecall::worker::guard
