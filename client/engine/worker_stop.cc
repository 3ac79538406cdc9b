// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>

#include "client/engine/pidfd.h"
#include "client/engine/worker_launch.h"
#include "client/engine/worker_process.h"
#include "os/clock.h"
#include "os/unique_fd.h"
#include "spool/group_root.h"
#include "spool/layout.h"
#include "spool/lock.h"

namespace filecall::client {
namespace {

// Between the second signal, which stops a worker at once, and giving up on it.
constexpr Duration kLastPatience = seconds(10);
// For a worker to say that it heard the first.
constexpr Duration kHearPatience = seconds(2);
// For a worker to write what it has after its own grace.
constexpr Duration kAfterGrace = seconds(5);
// Of a worker that says none.
constexpr Duration kUsualGrace = seconds(30);

Duration patience_of(const WorkerStop& stop, const WorkerView& worker) {
  if (stop.grace) return *stop.grace;
  const bool is_said = worker.status && worker.status->grace_ms >= 0;
  return (is_said ? Duration(milliseconds(worker.status->grace_ms)) : kUsualGrace) + kAfterGrace;
}

/// Hands on the first status that was written after the worker was asked to stop, if commands run.
class DrainWatch {
 public:
  DrainWatch(const std::string& root, const WorkerStop& stop) : root_(root), stop_(stop) {}

  /// Whether the worker says that it stops.
  bool look() {
    if (was_seen_) return true;
    const auto view = worker_view(root_);
    if (!view || !view->status || view->status->state != WorkerState::kDraining) return false;
    was_seen_ = true;
    const bool is_busy = view->status->counts.executing > 0;
    if (is_busy && stop_.when_it_drains) stop_.when_it_drains(*view->status);
    return true;
  }

 private:
  const std::string& root_;
  const WorkerStop& stop_;
  bool was_seen_ = false;
};

enum class Awaited : std::uint8_t { kEnd, kDrainOrEnd };

Result<void> wait_for(Awaited what, const std::string& lock_path, Duration patience, pid_t child,
                      DrainWatch& drain) {
  const Deadline deadline = Deadline::after(monotonic_now(), patience);
  for (;;) {
    // Reaps it in case it is our own child; otherwise nothing happens.
    ::waitpid(child, nullptr, WNOHANG);
    TRY_ASSIGN(const bool is_held, spool::FileLock::is_held(lock_path));
    if (!is_held) return {};
    if (drain.look() && what == Awaited::kDrainOrEnd) return {};
    if (deadline.is_reached(monotonic_now())) {
      return fail(ErrorCode::kDeadlineExceeded, "worker: it is still running");
    }
    ::poll(nullptr, 0, 10);
  }
}

Result<void> send_signal(int pidfd, int signal) {
  if (pidfd_send_signal(pidfd, signal, nullptr, 0) != 0 && errno != ESRCH) {
    return fail_errno(errno, "worker: signal");
  }
  return {};
}

Result<void> send_stop(int pidfd) { return send_signal(pidfd, SIGTERM); }

}  // namespace

Result<bool> stop_worker(const std::string& root, const WorkerStop& stop) {
  const std::string lock_path = spool::layout_of(root).worker_alive();
  // A worker that is just starting says its pid in a moment.
  const Deadline deadline = Deadline::after(monotonic_now(), seconds(5));
  WorkerView view;
  for (;;) {
    TRY_ASSIGN(view, worker_view(root));
    if (view.presence == WorkerPresence::kNotRunning) return false;
    if (view.pid != 0) break;
    if (deadline.is_reached(monotonic_now())) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("worker: somebody holds {} but cannot be identified; end it where it "
                              "was started (`fuser {}` names it)",
                              lock_path, lock_path));
    }
    ::poll(nullptr, 0, 20);
  }
  const UniqueFd process(pidfd_open(view.pid, 0));
  if (!process.is_open()) {
    if (errno == ESRCH) return true;
    return fail_errno(errno, "worker: pidfd_open");
  }
  // Asked again now that the descriptor pins the process: the pid cannot be recycled any more.
  if (!has_open(view.pid, lock_path) && !holds_lock(view.pid, lock_path)) return true;
  DrainWatch drain(root, stop);
  if (stop.waits) {
    if (!view.status || view.status->grace_ms < 0) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("worker: the one of {} (version {}) cannot be asked to wait; leave "
                              "--wait out",
                              root, view.status ? view.status->version : "unknown"));
    }
    TRY(send_signal(process.get(), SIGUSR1));
    TRY(wait_for(Awaited::kEnd, lock_path, Duration::max(), view.pid, drain));
    return true;
  }
  TRY(send_stop(process.get()));
  const Duration patience = patience_of(stop, view);
  if (!stop.now) {
    if (wait_for(Awaited::kEnd, lock_path, patience, view.pid, drain)) return true;
  } else {
    // Two signals that a process has not yet taken are one (signal(7)), and one lets commands run
    // on.
    static_cast<void>(wait_for(Awaited::kDrainOrEnd, lock_path, kHearPatience, view.pid, drain));
  }
  TRY(send_stop(process.get()));
  TRY(wait_for(Awaited::kEnd, lock_path, kLastPatience, view.pid, drain));
  return true;
}

}  // namespace filecall::client
