// SPDX-License-Identifier: MIT
#include "client/engine/worker_keeper.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "client/engine/launch_check.h"
#include "client/engine/pidfd.h"
#include "client/engine/settings_look.h"
#include "client/engine/worker_launch.h"
#include "spool/group_root.h"
#include "spool/layout.h"
#include "spool/lock.h"

namespace filecall::client {
namespace {

constexpr Duration kLookClosed = milliseconds(20);
constexpr Duration kLookOpen = milliseconds(500);
constexpr Duration kStartsWindow = seconds(60);
constexpr std::size_t kStartsMax = 5;
constexpr Duration kStartPause = milliseconds(200);
/// Requests whose responses are there wait for nobody: a batch that ended is over sooner.
constexpr Duration kSaysWaitAfter = seconds(1);
constexpr int kWorkerExitUsage = 2;

bool has_ended(const UniqueFd& process) {
  pollfd poll{.fd = process.get(), .events = POLLIN, .revents = 0};
  return ::poll(&poll, 1, 0) > 0;
}

}  // namespace

WorkerKeeper::WorkerKeeper(const OrchestratorOptions& options, Notice notice)
    : start_{.root = options.root,
             .config = options.worker_config,
             .log_file = {},
             .durability = options.worker_durability,
             .allow_shared_root = options.allow_shared_root},
      is_allowed_(options.worker_use == WorkerUse::kStart),
      says_wait_(!is_allowed_),
      rules_{.delay = options.cold_start_delay, .patience = options.worker_patience},
      notice_(std::move(notice)) {
  if (!is_of_others(options.root)) return;
  is_allowed_ = false;
  says_wait_ = true;
  has_settings_ = true;  // How it was started is not ours to read.
}

WorkerKeeper::Gate WorkerKeeper::tick(MonotonicTime now) {
  if (gate_ == Gate::kNoWorker || now < next_look_) return gate_;
  if (gate_ == Gate::kOpen) check_alive(now);
  if (gate_ == Gate::kClosed) look(now);
  next_look_ = now + (gate_ == Gate::kOpen ? kLookOpen : kLookClosed);
  return gate_;
}

void WorkerKeeper::check_alive(MonotonicTime now) {
  if (process_.is_open() && !has_ended(process_)) return;
  const std::string lock = spool::layout_of(start_.root).worker_alive();
  const bool is_held = spool::FileLock::is_held(lock).value_or(true);
  if (is_foreign_) {
    if (!is_held) return;
    is_foreign_ = false;  // A worker of ours took over; from now on its death counts.
  } else if (is_held && !process_.is_open()) {
    return;
  }
  reap();
  process_.reset();
  gate_ = Gate::kClosed;
  label_ = "not running";
  waiting_since_ = now;
  if (!is_held) notice_("worker: it ended before all responses were there");
}

void WorkerKeeper::look(MonotonicTime now) {
  if (!waiting_since_) waiting_since_ = now;
  reap();
  if (gate_ == Gate::kNoWorker) return;
  const auto view = worker_view(start_.root);
  if (!view) {
    notice_(view.error().message);
    gate_ = Gate::kNoWorker;
    return;
  }
  label_ = to_string(view->presence);
  has_seen_worker_ = has_seen_worker_ || view->presence != WorkerPresence::kNotRunning;
  const ServerEvidence evidence{
      .lock_is_held = view->presence != WorkerPresence::kNotRunning,
      .has_status = view->status.has_value(),
      .is_ready = view->presence == WorkerPresence::kReady,
      .may_start = is_allowed_ && child_ == 0,
  };
  say_wait(evidence, now - *waiting_since_);
  switch (decide_cold_start(evidence, rules_, now - *waiting_since_)) {
    case ColdStart::kGo:
      // Somebody may have started it meanwhile.
      if (const auto same = check_worker_config(start_); !same) {
        notice_(same.error().message);
        gate_ = Gate::kNoWorker;
        break;
      }
      if (const auto same = check_worker_users(start_.root); !same) {
        notice_(same.error().message);
        gate_ = Gate::kNoWorker;
        break;
      }
      if (renews_settings(*view, now)) break;
      gate_ = Gate::kOpen;
      is_foreign_ = !evidence.lock_is_held;
      if (is_foreign_) label_ = "unknown";
      if (view->pid != 0) process_ = UniqueFd(pidfd_open(view->pid, 0));
      waiting_since_.reset();
      break;
    case ColdStart::kWait:
      break;
    case ColdStart::kStartWorker:
      if (now >= next_start_) start(now);
      break;
    case ColdStart::kNoWorker:
      notice_("worker: none is running; start one with `filecall worker start`");
      gate_ = Gate::kNoWorker;
      break;
  }
}

void WorkerKeeper::say_wait(const ServerEvidence& evidence, Duration waited) {
  if (evidence.lock_is_held) says_wait_ = false;
  if (waited < std::min(kSaysWaitAfter, rules_.delay) || !std::exchange(says_wait_, false)) return;
  notice_(
      "worker: none is running, and this client starts none; waiting for one: start it with "
      "`filecall worker start`");
}

bool WorkerKeeper::renews_settings(const WorkerView& view, MonotonicTime now) {
  // Once: a worker whose settings stay others, whatever starts it, is taken as it is.
  if (std::exchange(has_settings_, true)) return false;
  const auto plan = look_at_settings(start_.root, view, is_allowed_);
  if (!plan) notice_(plan.error().message);
  const bool was_stopped = plan && carry_out(*plan, start_, notice_);
  if (was_stopped) waiting_since_ = now;
  return was_stopped;
}

void WorkerKeeper::start(MonotonicTime now) {
  std::erase_if(starts_, [&](MonotonicTime when) { return now - when > kStartsWindow; });
  if (starts_.size() >= kStartsMax) {
    notice_(fmt::format("worker: it ended {} times within {} s; see `filecall worker logs`",
                        starts_.size(), kStartsWindow / seconds(1)));
    gate_ = Gate::kNoWorker;
    return;
  }
  if (!starts_.empty()) notice_("worker: starting it again");
  starts_.push_back(now);
  next_start_ = now + kStartPause * static_cast<int>(starts_.size());
  const auto started = start_worker(start_);
  if (started) {
    child_ = *started;
    label_ = "starting";
    return;
  }
  notice_(started.error().message);
  // Somebody else may be starting one at this moment; other failures last.
  if (started.error().code != ErrorCode::kUnavailable) gate_ = Gate::kNoWorker;
}

void WorkerKeeper::reap() {
  int status = 0;
  if (child_ == 0 || ::waitpid(child_, &status, WNOHANG) != child_) return;
  child_ = 0;
  if (gate_ == Gate::kOpen) return;
  // Exit code 0 is a stop that somebody asked for.
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  notice_(describe_early_end(start_, status));
  // A bad option or configuration will be as bad the next time.
  if (WIFEXITED(status) && WEXITSTATUS(status) == kWorkerExitUsage) gate_ = Gate::kNoWorker;
}

}  // namespace filecall::client
