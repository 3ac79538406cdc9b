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
#include <vector>

#include "os/clock.h"
#include "os/io.h"
#include "os/process.h"
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

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

std::vector<std::string> arguments_of(const WorkerStart& start, const std::string& program) {
  std::vector<std::string> arguments = {program, "--root", start.root};
  if (!start.config.empty()) {
    arguments.insert(arguments.end(), {"--config", start.config});
  }
  arguments.insert(arguments.end(), {"--durability", std::string(to_string(start.durability))});
  if (start.allow_shared_root) arguments.emplace_back("--allow-shared-root");
  const std::string log =
      start.log_file.empty() ? spool::Layout(start.root).worker_log() : start.log_file;
  arguments.insert(arguments.end(), {"--log-file", log});
  arguments.insert(arguments.end(), start.extra_arguments.begin(), start.extra_arguments.end());
  return arguments;
}

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

Result<pid_t> spawn_detached(const std::vector<std::string>& arguments, const std::string& output) {
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
  posix_spawn_file_actions_addopen(&plan.files, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&plan.files, STDOUT_FILENO, STDERR_FILENO);
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

bool is_child_gone(pid_t pid) {
  siginfo_t info{};
  // WNOWAIT: whoever waits for readiness reads how it ended.
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

}  // namespace

Result<std::string> find_worker_program(const char* override_path, const char* search_path) {
  if (override_path != nullptr && *override_path != '\0') {
    if (is_program(override_path)) return std::string(override_path);
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
    if (!place.empty() && is_program(path)) return path;
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("{}: neither in {} nor in $PATH; install it or set $FILECALL_WORKER",
                          kProgram, places.front()));
}

Result<pid_t> start_worker(const WorkerStart& start) {
  TRY(spool::Root::open(start.root, {.allow_shared = start.allow_shared_root, .create = true}));
  const spool::Layout layout(start.root);
  // Held while the new worker takes its own lock, so that the next starter finds that one held.
  TRY_ASSIGN(const auto lock,
             spool::FileLock::acquire(layout.client_start_lock(), kStarterPatience));
  TRY_ASSIGN(const bool is_running, spool::FileLock::is_held(layout.worker_lock()));
  if (is_running) return pid_t{0};
  TRY_ASSIGN(const std::string program,
             find_worker_program(std::getenv("FILECALL_WORKER"), std::getenv("PATH")));
  TRY_ASSIGN(const pid_t pid, spawn_detached(arguments_of(start, program),
                                             spool::Layout(start.root).client_start_log()));
  const Deadline deadline = Deadline::after(monotonic_now(), kLockPatience);
  while (!deadline.is_reached(monotonic_now()) && !is_child_gone(pid)) {
    if (spool::FileLock::is_held(layout.worker_lock()).value_or(false)) break;
    ::poll(nullptr, 0, 2);
  }
  return pid;
}

std::string describe_early_end(const WorkerStart& start, int status) {
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("was killed by signal {}", WTERMSIG(status))
                              : fmt::format("ended with exit code {}", WEXITSTATUS(status));
  std::string text = fmt::format("worker: it {} before it was ready", how);
  const std::string log =
      start.log_file.empty() ? spool::Layout(start.root).worker_log() : start.log_file;
  for (const std::string& path : {spool::Layout(start.root).client_start_log(), log}) {
    const std::string tail = log_tail(path, 5).value_or(std::string());
    if (!tail.empty()) text += fmt::format("; last lines of {}:\n{}", path, tail);
  }
  return text;
}

}  // namespace filecall::client
