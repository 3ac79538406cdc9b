// SPDX-License-Identifier: MIT
#include "client/engine/worker_launch.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "client/engine/ending_process.h"
#include "client/engine/remembered_launch.h"
#include "os/accounts.h"
#include "os/clock.h"
#include "os/io.h"
#include "os/process.h"
#include "os/regular_file.h"
#include "spool/group_root.h"
#include "spool/layout.h"
#include "spool/lock.h"
#include "spool/root.h"

extern char** environ;

namespace filecall::client {
namespace {

constexpr std::string_view kProgram = "filecall-worker";
// How long a started worker may take to hold its lock before we stop watching for it.
constexpr Duration kLockPatience = seconds(5);
constexpr Duration kStarterPatience = seconds(20);

/// A worker that was killed holds its lock until the kernel has taken it apart: that is waited for,
/// since nobody would serve the root afterwards.
Result<bool> is_worker_alive(const std::string& root) {
  const Deadline deadline = Deadline::after(monotonic_now(), kLockPatience);
  for (;;) {
    TRY_ASSIGN(const WorkerView view, worker_view(root));
    if (view.presence == WorkerPresence::kNotRunning) return false;
    const bool ends = view.status && is_ending(static_cast<pid_t>(view.status->pid));
    if (!ends || deadline.is_reached(monotonic_now())) return true;
    ::poll(nullptr, 0, 2);
  }
}

/// The worker may be started in another directory.
std::string absolute(const std::string& path) {
  std::error_code status;
  const auto full = std::filesystem::absolute(path, status);
  return status ? path : full.string();
}

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

// Everything posix_spawn must know, freed on every path.
struct SpawnPlan {
  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t files{};

  SpawnPlan() {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&files);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
  }
};

Result<pid_t> spawn_detached(const WorkerCommand& command, const UniqueFd& output) {
  const std::vector<std::string>& arguments = command.arguments;
  SpawnPlan plan;
  // An own session: Ctrl-C at the client's terminal, or its hang-up, is not the worker's.
  posix_spawnattr_setflags(&plan.attributes,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  sigset_t signals;
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&plan.attributes, &signals);
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&plan.attributes, &signals);
  posix_spawn_file_actions_addopen(&plan.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&plan.files, output.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&plan.files, output.get(), STDERR_FILENO);
  if (!command.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&plan.files, command.directory.c_str());
  }
  posix_spawn_file_actions_addclosefrom_np(&plan.files, STDERR_FILENO + 1);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int status =
      posix_spawn(&pid, argv[0], &plan.files, &plan.attributes, argv.data(), environ);
  if (status != 0) return fail_errno(status, arguments[0]);
  return pid;
}

Result<void> check_directory(const std::string& directory) {
  if (directory.empty() || ::access(directory.c_str(), X_OK) == 0) return {};
  return fail(
      ErrorCode::kFailedPrecondition,
      fmt::format("{}: the worker was started in this directory last time, and it cannot be "
                  "entered now; start it elsewhere with 'filecall worker start --forget'",
                  directory));
}

bool is_child_gone(pid_t pid) {
  siginfo_t info{};
  // WNOWAIT: the wait for readiness reads how it ended.
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

std::string_view without_end(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<std::string> find_worker_program(const char* override_path, const char* search_path) {
  if (override_path != nullptr && *override_path != '\0') {
    if (is_program(override_path)) return absolute(override_path);
    return fail(ErrorCode::kNotFound,
                fmt::format("{}: not a program; correct $FILECALL_WORKER", override_path));
  }
  std::vector<std::string> places = {executable_directory()};
  std::string_view rest = search_path == nullptr ? "" : search_path;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    places.emplace_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
  for (const std::string& place : places) {
    const std::string path = fmt::format("{}/{}", place, kProgram);
    if (!place.empty() && is_program(path)) return absolute(path);
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("{}: neither in {} nor in $PATH; install it or set $FILECALL_WORKER",
                          kProgram, places.front()));
}

bool is_of_others(const std::string& root) {
  const auto group = spool::find_group_root(root);
  return group && group->owner != ::geteuid();
}

Result<WorkerCommand> plan_start(const WorkerStart& start) {
  TRY_ASSIGN(const std::string program,
             find_worker_program(std::getenv("FILECALL_WORKER"), std::getenv("PATH")));
  std::optional<WorkerLaunch> launch;
  if (!start.forgets) {
    TRY_ASSIGN(launch, read_launch(start.root));
  }
  WorkerCommand command = worker_command_line(start, program, launch);
  TRY(check_directory(command.directory));
  return command;
}

Result<pid_t> start_worker(const WorkerStart& start) {
  if (const auto group = spool::find_group_root(start.root); group && group->owner != ::geteuid()) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: is a root of a group; its worker is started by its owner, {}",
                            start.root, user_label(group->owner)));
  }
  TRY(spool::Root::open(start.root, {.allow_shared = start.allow_shared_root, .create = true}));
  const spool::Layout layout = spool::layout_of(start.root);
  // Held while the new worker takes its own lock, so that the next starter finds that one held.
  TRY_ASSIGN(const auto lock,
             spool::FileLock::acquire(layout.client_start_lock(), kStarterPatience));
  TRY_ASSIGN(const bool is_running, is_worker_alive(start.root));
  if (is_running) return pid_t{0};
  TRY_ASSIGN(const WorkerCommand command, plan_start(start));
  TRY_ASSIGN(const UniqueFd output,
             open_regular(layout.client_start_log(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND));
  TRY_ASSIGN(const pid_t pid, spawn_detached(command, output));
  const Deadline deadline = Deadline::after(monotonic_now(), kLockPatience);
  while (!deadline.is_reached(monotonic_now()) && !is_child_gone(pid)) {
    if (spool::FileLock::is_held(layout.worker_alive()).value_or(false)) break;
    ::poll(nullptr, 0, 2);
  }
  return pid;
}

std::string describe_early_end(const WorkerStart& start, int status) {
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("was killed by signal {}", WTERMSIG(status))
                              : fmt::format("ended with exit code {}", WEXITSTATUS(status));
  std::string text = fmt::format("worker: it {} before it was ready", how);
  const std::string log = worker_log_path(start);
  const std::string said =
      log_tail(spool::layout_of(start.root).client_start_log(), 3).value_or(std::string());
  if (!said.empty()) return fmt::format("{}: {}", text, without_end(said));
  // It said nothing that a person would have seen: its log may. That has earlier starts, too.
  const std::string logged = log_tail(log, 3).value_or(std::string());
  return logged.empty() ? text
                        : fmt::format("{}; last lines of {}:\n{}", text, log, without_end(logged));
}

}  // namespace filecall::client
