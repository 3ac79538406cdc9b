// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>
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

struct WorkerStart {
  std::string root;
  std::string config{};    ///< --config; empty: none.
  std::string log_file{};  ///< --log-file; empty: the root's worker/log.
  Durability durability = Durability::kFull;
  bool allow_shared_root = false;
  std::vector<std::string> extra_arguments{};
};

/// The process manager of a root's singleton worker. Stateless: every answer is read from the root,
/// so any client may stop what another started. Blocking calls; any thread.

/// What is there now. Never blocks. Failure: the lock cannot be examined (permissions).
Result<WorkerView> worker_view(const std::string& root);

/// The worker program: `override_path` ($FILECALL_WORKER) if set, else beside this program, else in
/// `search_path` ($PATH). Failure: not_found, naming every place that was tried.
Result<std::string> find_worker_program(const char* override_path, const char* search_path);

/// Starts a worker, detached (own session, standard streams on /dev/null), unless one lives;
/// concurrent starters are serialized by a lock, so there are never two. Returns its pid, or 0
/// when one was alive already. Returns once the program runs, not when it is ready.
/// Failures: not_found (no program), and what the system calls return.
Result<pid_t> start_worker(const WorkerStart& start);

/// Waits until the root's worker is ready. `child`: the pid from start_worker, whose early death
/// ends the waiting (0: somebody else's). Failures: unavailable with the last lines of its log when
/// it died, deadline_exceeded.
Result<WorkerView> wait_until_ready(const WorkerStart& start, pid_t child, Duration patience);

struct WorkerStop {
  /// How long the worker may drain before it is signalled a second time (which stops it at once).
  Duration grace = seconds(35);
  bool now = false;  ///< Signal twice without waiting.
};
/// Ends the root's worker with SIGTERM and waits until its lock is free. True: one was stopped;
/// false: none ran. Signals through a pidfd after checking that the process is the one whose
/// status file this is, so a recycled pid is never hit. Failures: failed_precondition when the
/// holder cannot be identified (the message says what to do), deadline_exceeded.
Result<bool> stop_worker(const std::string& root, const WorkerStop& stop);

/// The last `lines` lines of a log file; empty when there is none.
Result<std::string> log_tail(const std::string& path, int lines);

}  // namespace filecall::client
