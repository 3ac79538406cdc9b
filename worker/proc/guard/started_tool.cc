// SPDX-License-Identifier: MIT
#include "worker/proc/guard/started_tool.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "worker/proc/guard/descendants.h"
#include "worker/proc/guard/tool_process.h"
#include "worker/proc/sandbox/mount_plan.h"
#include "worker/proc/sandbox/namespaces.h"

namespace filecall::worker::guard {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  bool open() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) return false;
    read_end = fds[0];
    write_end = fds[1];
    return true;
  }
  static void close(int* fd) {
    if (*fd >= 0) ::close(*fd);
    *fd = -1;
  }
  void close_both() {
    close(&read_end);
    close(&write_end);
  }
};

std::int64_t to_us(const struct timeval& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000 + time.tv_usec;
}

/// The name that the directory has on the host now.
StepFailure find_start(std::string* start) {
  char link[] = "/proc/self/fd/5";
  static_assert(kCwdFd == 5);
  char path[PATH_MAX];
  const ssize_t size = ::readlink(link, path, sizeof path);
  if (size <= 0 || size == sizeof path) return failed_at(Step::kDirectory, errno, link);
  start->assign(path, static_cast<std::size_t>(size));
  return {};
}

StepFailure prepare(const Options& options, ProtectedNames* names, StartPlan* plan) {
  plan->user = ::geteuid();
  plan->group = ::getegid();
  if (!options.sandbox.uses(kNamespaces)) return {};
  if (const StepFailure failure = find_start(&plan->start)) return failure;
  if (options.sandbox.level == Level::kWorkspaceWrite) {
    if (const StepFailure failure = names->hold(options.sandbox, plan->start)) return failure;
  }
  plan->own_mounts = plan_own_mounts(options.sandbox, names->paths());
  return {};
}

/// The child without a process tree of its own.
[[noreturn]] void run_directly(const Options& options, const StartPlan& plan, pid_t guard,
                               int failure_fd) {
  if (plan.needs_map) {
    if (const StepFailure failure = map_ids(plan.user, plan.group)) fail_start(failure_fd, failure);
  }
  become_tool(options, "", guard, failure_fd);
}

/// A tool without a sandbox. Its side never returns, and copying this process for it would cost
/// more than all that it does. -1: errno says why.
pid_t start_free(const Options& options, pid_t guard, int failure_fd) {
  const pid_t tool = ::vfork();
  if (tool == 0) become_tool(options, "", guard, failure_fd);
  return tool;
}

/// The tool has 0, 1 and 2; the guard lets go of them, so that the worker sees when the tool does.
/// It does so while the tool is being started: later, each end of a stream would wake the worker
/// in the way of the report.
void release_standard_streams() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= 2; ++fd) {
    if (null >= 0) {
      ::dup2(null, fd);
    } else {
      ::close(fd);
    }
  }
  if (null > 2) ::close(null);
}

/// What the child says before it has become the tool; empty: it has.
StepFailure read_failure(int fd) {
  StepFailure failure;
  ssize_t got = 0;
  do {
    got = ::read(fd, &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof failure) ? failure : StepFailure{};
}

}  // namespace

StartedTool start_tool(const Options& options, const Prepared& prepared, ProtectedNames* names) {
  StartedTool tool;
  StartPlan plan;
  plan.prepared = prepared;
  tool.failure = prepare(options, names, &plan);
  if (tool.failure) return tool;
  const bool has_init = options.sandbox.uses(kNamespaces);
  Pipe failure, orders, end;
  if (!failure.open() || (has_init && (!orders.open() || !end.open()))) {
    tool.failure = failed_at(Step::kFork, errno);
    for (Pipe* pipe : {&failure, &orders, &end}) pipe->close_both();
    return tool;
  }
  const pid_t guard = ::getpid();
  if (options.sandbox.is_on()) {
    tool.pid = fork_into_namespaces(options.sandbox, plan.prepared, &plan.needs_map);
  } else {
    tool.pid = start_free(options, guard, failure.write_end);
  }
  if (tool.pid == 0) {
    if (!has_init) run_directly(options, plan, guard, failure.write_end);
    Pipe::close(&orders.write_end);
    run_init(options, plan, {failure.write_end, orders.read_end, end.write_end});
  }
  if (tool.pid < 0) {
    tool.failure = failed_at(options.sandbox.is_on() ? Step::kNamespaces : Step::kFork, errno);
  }
  release_standard_streams();
  close_prepared(plan.prepared);
  Pipe::close(&failure.write_end);
  Pipe::close(&orders.read_end);
  Pipe::close(&end.write_end);
  if (tool.pid > 0) tool.failure = read_failure(failure.read_end);
  Pipe::close(&failure.read_end);
  if (!tool.failure) {
    tool.orders_fd = orders.write_end;
    tool.end_fd = end.read_end;
    return tool;
  }
  Pipe::close(&orders.write_end);
  Pipe::close(&end.read_end);
  if (tool.pid > 0) ::waitpid(tool.pid, nullptr, 0);
  tool.pid = -1;
  return tool;
}

void ask_to_end(const StartedTool& tool) {
  if (tool.orders_fd < 0) return ask_descendants_to_end(tool.pid);
  const char order = 'T';
  [[maybe_unused]] const ssize_t written = ::write(tool.orders_fd, &order, 1);
}

bool read_end(const StartedTool& tool, ToolEnd* end) {
  return tool.end_fd >= 0 && ::read(tool.end_fd, end, sizeof *end) == sizeof *end;
}

ChildrenUsage children_usage() {
  struct rusage usage {};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return {to_us(usage.ru_utime), to_us(usage.ru_stime), usage.ru_maxrss};
}

std::int64_t now_us() {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace filecall::worker::guard
