// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ipc/worker_status.h"
#include "spool/publish.h"

namespace filecall::client {

/// Whether a root has a worker. The lock decides whether one lives; its status file says the rest.
enum class WorkerPresence : std::uint8_t {
  kNotRunning,  ///< Nobody holds the lock.
  kStarting,    ///< The lock is held, the status is missing, from an earlier run, or "starting".
  kReady,
  kDraining,  ///< Takes nothing new; the lock will be free soon.
};
/// "not running", "starting", "ready", "draining".
std::string_view to_string(WorkerPresence presence);

struct WorkerView {
  WorkerPresence presence = WorkerPresence::kNotRunning;
  /// What the status file says, also of a worker that is gone; nullopt: no (readable) file.
  std::optional<WorkerStatus> status;
  /// The live worker's process, verified to be the lock's holder; 0 when unknown or none.
  pid_t pid = 0;
};

/// What is not said is as the root's last worker had it (worker/launch.json).
struct WorkerStart {
  std::string root;
  std::string config{};    ///< --config; empty: the last one's, if any.
  std::string log_file{};  ///< --log-file; empty: the last one's, else the root's worker/log.
  std::optional<Durability> durability{};
  bool allow_shared_root = false;
  bool forgets = false;  ///< What the last one had does not count.
};

/// The process manager of a root's singleton worker. Stateless: every answer is read from the root,
/// so any client may stop what another started. Blocking calls; any thread.

/// What is there now. Never blocks. Failure: the lock cannot be examined (permissions).
Result<WorkerView> worker_view(const std::string& root);

/// The worker program: `override_path` ($FILECALL_WORKER) if set, else beside this program, else in
/// `search_path` ($PATH). Failure: not_found, naming every place that was tried.
Result<std::string> find_worker_program(const char* override_path, const char* search_path);

/// A program to start, and where.
struct WorkerCommand {
  std::vector<std::string> arguments;  ///< The program first.
  std::string directory;               ///< Empty: the current one.
};
/// What start_worker would start. Failures: as its.
Result<WorkerCommand> plan_start(const WorkerStart& start);

/// Whether the root is a group's and belongs to another user: its worker is not ours to start.
bool is_of_others(const std::string& root);
/// Starts a worker, detached (own session, standard streams on /dev/null), unless one lives;
/// concurrent starters are serialized by a lock, so there are never two. Returns its pid, or 0
/// when one was alive already. Returns once the program runs, not when it is ready.
/// Failures: not_found (no program), what the root remembers cannot be believed (see read_launch),
/// and what the system calls return.
Result<pid_t> start_worker(const WorkerStart& start);

/// Whether a live worker has the configuration that `start` names. failed_precondition: another
/// one; the message says which and what to do. Nothing named, or nothing known: fine.
Result<void> check_worker_config(const WorkerStart& start);

/// Whether the live worker of a group's root sees the users that this process sees.
/// failed_precondition: it does not, so that nobody could say whom its responses answer.
Result<void> check_worker_users(const std::string& root);

/// Waits until the root's worker is ready. `child`: the pid from start_worker, whose early death
/// ends the waiting (0: somebody else's). Failures: unavailable with the last lines of its log when
/// it died, invalid_argument when it refused its configuration, deadline_exceeded.
Result<WorkerView> wait_until_ready(const WorkerStart& start, pid_t child, Duration patience);

struct WorkerStop {
  /// How long the worker may drain before it is signalled a second time (which stops it at once);
  /// absent: its own grace, and some seconds for what follows.
  std::optional<Duration> grace;
  bool now = false;  ///< Signal twice without waiting.
  /// Let what runs end, however long that takes.
  bool waits = false;
  /// Called once with the status that the worker writes when it is asked to stop, if commands still
  /// run: a status from before may be a second old. May be empty.
  std::function<void(const WorkerStatus&)> when_it_drains = nullptr;
};
/// Ends the root's worker with SIGTERM and waits until its lock is free. True: one was stopped;
/// false: none ran. Signals through a pidfd after checking that the process is the one whose
/// status file this is, so a recycled pid is never hit. Failures: failed_precondition when the
/// holder cannot be identified, or does not know how to wait (the message says what to do),
/// deadline_exceeded.
Result<bool> stop_worker(const std::string& root, const WorkerStop& stop);

/// How far a log was read: from there it is followed, so that nothing between is lost.
struct LogPlace {
  ino_t inode = 0;
  off_t end = 0;
};

/// Gives what is appended to a log file after `from` to `print`, also after it was rotated, until
/// `print` returns false; it is given nothing whenever there is no more. Failure: the file cannot
/// be read.
Result<void> follow_log(const std::string& path, const LogPlace& from,
                        const std::function<bool(std::string_view)>& print);

/// The last `lines` lines of a log file; empty when there is none. `place`: how far it was read.
Result<std::string> log_tail(const std::string& path, int lines, LogPlace* place = nullptr);

}  // namespace filecall::client
