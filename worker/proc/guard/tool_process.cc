// SPDX-License-Identifier: MIT
#include "worker/proc/guard/tool_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>

#include "worker/proc/guard/confine.h"
#include "worker/proc/sandbox/own_mounts.h"

namespace filecall::worker::guard {
namespace {

/// What a signal does is the server's business, which left all of them at their default.
void unblock_signals() {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

StepFailure enter_start(const char* start) {
  if (*start != '\0') return enter_directory(start, kCwdFd);
  return ::fchdir(kCwdFd) == 0 ? StepFailure{} : failed_at(Step::kDirectory, errno);
}

}  // namespace

void fail_start(int failure_fd, const StepFailure& failure) {
  [[maybe_unused]] const ssize_t written = ::write(failure_fd, &failure, sizeof failure);
  ::_exit(127);
}

void become_tool(const Options& options, const char* start, const ToolOrigin& origin) {
  const int failure_fd = origin.failure_fd;
  unblock_signals();
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != origin.parent) ::_exit(127);  // It died before the kernel was asked to tell.
  if (origin.group_fd >= 0 && ::write(origin.group_fd, "0", 1) != 1) {
    fail_start(failure_fd, failed_at(Step::kGroup, errno));
  }
  if (const StepFailure failure = enter_start(start)) fail_start(failure_fd, failure);
  // Close-on-exec rather than closed: the failure pipe must last until exec has succeeded.
  if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
    fail_start(failure_fd, failed_at(Step::kConfine, errno));
  }
  if (const StepFailure failure = confine(options.sandbox)) fail_start(failure_fd, failure);
  if (const int error = apply_limits(options.limits); error != 0) {
    fail_start(failure_fd, failed_at(Step::kLimits, error));
  }
  ::execve(options.program, options.argv, options.environment);
  fail_start(failure_fd, failed_at(Step::kExec, errno));
}

}  // namespace filecall::worker::guard
