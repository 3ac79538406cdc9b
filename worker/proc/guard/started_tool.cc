// SPDX-License-Identifier: MIT
#include "worker/proc/guard/started_tool.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "worker/proc/guard/descendants.h"
#include "worker/proc/guard/tool_process.h"
#include "worker/proc/sandbox/mount_calls.h"
#include "worker/proc/sandbox/namespaces.h"

namespace filecall::worker::guard {
namespace {

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

/// A tool without a process tree of its own. -1: errno says why.
pid_t start_without_init(const Options& options, pid_t guard, const RunGroup& group,
                         int failure_fd) {
  const uid_t user = ::geteuid();
  const gid_t user_group = ::getegid();
  bool needs_map = false;
  const pid_t tool = fork_into_namespaces(options.sandbox, {}, &needs_map);
  if (tool != 0) return tool;
  if (needs_map) {
    if (const StepFailure failure = map_ids(user, user_group)) fail_start(failure_fd, failure);
  }
  become_tool(options, "", {guard, group.members(), failure_fd});
}

/// A tool without a sandbox. Its side never returns, and copying this process for it would cost
/// more than all that it does. -1: errno says why.
pid_t start_free(const Options& options, pid_t guard, const RunGroup& group, int failure_fd) {
  const pid_t tool = ::vfork();
  if (tool != 0) return tool;
  become_tool(options, "", {guard, group.members(), failure_fd});
}

/// The tool has 0, 1 and 2; the guard closes them, so that the worker sees when the tool does.
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

/// As start_tool(), of a tool that is the guard's own child.
StartedTool start_child(const Options& options, const RunGroup& group) {
  StartedTool tool;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    tool.failure = failed_at(Step::kFork, errno);
    return tool;
  }
  Fd failure(ends[0]), its_failure(ends[1]);
  const pid_t guard = ::getpid();
  const bool is_free = !options.sandbox.is_on();
  const pid_t pid = is_free ? start_free(options, guard, group, its_failure.get())
                            : start_without_init(options, guard, group, its_failure.get());
  if (pid < 0) tool.failure = failed_at(is_free ? Step::kFork : Step::kNamespaces, errno);
  its_failure.reset();
  return pid < 0 ? tool : leave_to_tool(pid, std::move(failure));
}

/// The names of the host that the tool's process 1 is given.
StepFailure hold_places(const SandboxOptions& options, std::string* start, ProtectedNames* names) {
  if (const StepFailure failure = find_start(start)) return failure;
  return options.level == Level::kWorkspaceWrite ? names->hold(options, *start) : StepFailure{};
}

/// As start_tool(), of a tool in a process tree of its own.
StartedTool start_within_init(const ToolStart& start, const RunGroup& group,
                              ProtectedNames* names) {
  StartedTool tool;
  tool.init = start.init;
  if (tool.init.pid < 0) tool.init = make_init(start.options.sandbox, start.prepared);
  tool.pid = tool.init.pid;
  if (tool.pid < 0) {
    tool.failure = failed_at(Step::kNamespaces, errno);
    return tool;
  }
  std::string folder;
  if (const int error = group.take(tool.pid); error != 0) {
    tool.failure = failed_at(Step::kGroup, error, group.path().c_str());
  } else {
    tool.failure = hold_places(start.options.sandbox, &folder, names);
  }
  if (tool.failure) {
    end_init(&tool.init);
    tool.pid = -1;
    return tool;
  }
  give_job(tool.init, start.message, folder, names->paths());
  release_standard_streams();
  tool.failure = read_failure(tool.init.failure_fd);
  ::close(std::exchange(tool.init.failure_fd, -1));
  return tool;
}

}  // namespace

StartedTool leave_to_tool(pid_t pid, Fd failure) {
  release_standard_streams();
  StartedTool tool;
  tool.failure = read_failure(failure.get());
  if (tool.failure) {
    ::waitpid(pid, nullptr, 0);
  } else {
    tool.pid = pid;
  }
  return tool;
}

StartedTool start_tool(const ToolStart& start, const RunGroup& group, ProtectedNames* names) {
  StartedTool tool = start.options.sandbox.uses(kNamespaces)
                         ? start_within_init(start, group, names)
                         : start_child(start.options, group);
  close_prepared(start.prepared);
  ::close(kJobTextFd);
  if (tool.failure && tool.pid > 0) {
    ::waitpid(tool.pid, nullptr, 0);
    if (tool.init.link_fd >= 0) ::close(tool.init.link_fd);
    tool.pid = -1;
    tool.init = {};
  }
  return tool;
}

void ask_to_end(const StartedTool& tool) {
  if (tool.init.pid < 0) return ask_descendants_to_end(tool.pid);
  const char order = 'T';
  ::send(tool.init.link_fd, &order, 1, MSG_NOSIGNAL);
}

bool read_end(const StartedTool& tool, ToolEnd* end) {
  return tool.init.pid >= 0 && ::read(tool.init.link_fd, end, sizeof *end) == sizeof *end;
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
