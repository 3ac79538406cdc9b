// SPDX-License-Identifier: MIT
#include "worker/worker.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/count_text.h"
#include "base/duration.h"
#include "base/log.h"
#include "base/version.h"
#include "ipc/limits.h"
#include "os/accounts.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/system_clock.h"
#include "worker/file_setup.h"
#include "worker/free_memory.h"
#include "worker/status.h"

namespace filecall::worker {
namespace {

/// Waking an idle CPU costs more than answering a request: after an answer, look for more for this
/// long before blocking. Not while anything runs or is on its way to the disk: a child, a server on
/// the same machine, the pool's threads need the CPU, and their end wakes the loop anyway.
constexpr Duration kSpin = std::chrono::microseconds(50);
/// Of a root, in one turn of the loop. A call that was taken goes out some turns later (connected,
/// then sent): with many in a turn nothing would be in flight meanwhile.
constexpr int kArrivalsPerTurn = 32;
static_assert(kArrivalsPerTurn <= limits::kArrivalsPerTurn);
/// How soon what waits for a resumption hears of it, and the status of a pause.
constexpr Duration kPauseLook = milliseconds(250);
/// How long a lock is relied on while requests start: a look is two system calls a root.
constexpr Duration kLockLook = milliseconds(5);
constexpr Duration kPauseSaid = milliseconds(50);

}  // namespace

Worker::Worker(const Config& config)
    : config_(config),
      pool_(loop_.get()),
      dispatcher_(config_.destinations, monotonic_now(),
                  config_.source.group ? config_.per_user : UserLimits{}) {
  facts_.pid = ::getpid();
  facts_.instance = make_instance_id();
  facts_.boot_id = boot_id();
  facts_.user = ::geteuid();
  facts_.user_map = user_map();
  facts_.version = program_version();
  facts_.started_at = wall_now();
  facts_.durability = to_string(config_.source.durability);
  facts_.grace_ms = to_ms(config_.grace);
  has_terminal_ = ::isatty(STDIN_FILENO) != 0;
}

Result<std::unique_ptr<Worker>> Worker::open(const Config& config) {
  std::unique_ptr<Worker> worker(new Worker(config));
  TRY(worker->open_roots());
  TRY(worker->open_commands());
  worker->record_launch();
  return worker;
}

Result<void> Worker::open_roots() {
  DirectorySourceOptions options = config_.source;
  // Asked only once arrivals are taken: the registry is there by then.
  options.reader.may_repeat = [this](const Request& request) {
    return registry_->may_repeat(request);
  };
  for (const std::string& path : config_.roots) {
    auto root = std::make_unique<ServedRoot>();
    TRY_ASSIGN(root->source, DirectorySource::open(path, options, pool_, system_clock()));
    root->session.index = static_cast<int>(roots_.size());
    root->session.path = path;
    root->session.source = root->source.get();
    root->session.files = root->source.get();
    root->poll = std::make_unique<SourcePoll>(loop_.get(), *root->source, system_clock());
    roots_.push_back(std::move(root));
  }
  return {};
}

Result<void> Worker::open_commands() {
  TRY_ASSIGN(const auto files, complete_file_config(config_));
  TRY_ASSIGN(registry_,
             Registry::create(loop_.get(), config_.tool, config_.llm, config_.kube, files));
  runner_ = std::make_unique<JobRunner>(*registry_, dispatcher_, facts_.instance, system_clock());
  registry_->set_cancel_target(*runner_);
  for (const auto& root : roots_) runner_->serve(root->session);
  note_commands();
  return {};
}

void Worker::note_commands() {
  facts_.missing_protections = registry_->missing_protections();
  for (const std::string& missing : facts_.missing_protections) {
    log_warn("tools run with less protection than asked for: {}", missing);
  }
  facts_.tool_sandbox = registry_->tool_sandbox();
  facts_.file_directory = registry_->file_directory();
  facts_.commands.clear();
  for (const CommandInfo* info : registry_->commands()) {
    facts_.commands.push_back({info->name, info->effects});
  }
}

void Worker::record_launch() {
  WorkerLaunch launch = config_.launch;
  launch.instance = facts_.instance;
  launch.started_at = facts_.started_at;
  for (const auto& root : roots_) {
    if (const auto written = root->source->write_launch(launch); !written) {
      log_warn("{}: how it was started is not recorded: {}", root->session.path,
               written.error().message);
    }
  }
}

void Worker::reload() {
  if (!reload_.read) return;
  auto fresh = reload_.read();
  const auto taken = fresh ? take_config(std::move(*fresh)) : Unexpected(fresh.error());
  if (!taken) {
    log_error("the configuration was not read again, the one before stays: {}",
              taken.error().message);
  }
}

Result<void> Worker::take_config(Config fresh) {
  TRY_ASSIGN(const auto files, complete_file_config(fresh));
  TRY_ASSIGN(auto registry,
             Registry::create(loop_.get(), fresh.tool, fresh.llm, fresh.kube, files));
  TRY(reload_.log(fresh));
  if (fresh.roots != config_.roots || fresh.source.durability != config_.source.durability) {
    log_warn("other roots, and another durability, need a restart");
  }
  retired_.push_back(std::exchange(registry_, std::move(registry)));
  registry_->set_cancel_target(*runner_);
  runner_->use(*registry_);
  note_commands();
  config_.grace = fresh.grace;
  config_.launch = std::move(fresh.launch);
  facts_.grace_ms = to_ms(config_.grace);
  record_launch();
  log_info("read the configuration again; what was accepted before keeps the earlier one");
  return {};
}

void Worker::on_signal(int signal) {
  if (signal == SIGHUP && !has_terminal_) return reload();
  if (signal == SIGUSR1 && signals_ == 0) {
    waits_for_all_ = true;
  } else if (std::exchange(waits_for_all_, false) && phase_ == Phase::kDraining) {
    log_info("signal {}: what runs has {} to end", signal, format_duration(config_.grace));
    grace_ = Deadline::after(monotonic_now(), config_.grace);
    return;
  }
  log_info("signal {}: {}", signal,
           signals_ == 0 ? "taking nothing new, finishing what runs" : "stopping at once");
  ++signals_;
  enter(next_phase(phase_, LifecycleEvent::kStopSignal, config_.drain));
}

bool Worker::is_busy() const {
  return !runner_->is_idle() || std::any_of(roots_.begin(), roots_.end(), [](const auto& root) {
    return !root->source->state().is_idle;
  });
}

/// What is left, in any root, are answers that its disk does not take.
bool Worker::is_stuck() const {
  return is_busy() && std::all_of(roots_.begin(), roots_.end(), [](const auto& root) {
           const SourceState state = root->source->state();
           return state.is_idle || state.is_stuck;
         });
}

bool Worker::is_drained() const {
  return std::all_of(roots_.begin(), roots_.end(),
                     [](const auto& root) { return root->source->state().is_drained; });
}

bool Worker::has_intake(const Session& session) const {
  // A root whose disk is full takes nothing new and holds up no other root.
  return takes_requests(phase_) && session.source->state().problem.empty() &&
         session.undelivered < limits::kAnswersInFlightMax &&
         runner_->waiting() < limits::kWaitingJobsMax;
}

bool Worker::take_arrivals(MonotonicTime now) {
  bool is_more_likely = false;
  // Another root goes first every turn, so that a flood in one cannot starve the others.
  first_root_ = roots_.empty() ? 0 : (first_root_ + 1) % roots_.size();
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    Session& session = roots_[(first_root_ + i) % roots_.size()]->session;
    int taken = 0;
    while (taken < kArrivalsPerTurn && has_intake(session)) {
      auto arrival = session.source->next(now);
      if (!arrival) break;
      ++taken;
      runner_->accept(session, std::move(*arrival), now);
    }
    if (taken == kArrivalsPerTurn) is_more_likely = true;
  }
  return is_more_likely;
}

void Worker::heed_pauses() {
  for (const auto& root : roots_) {
    auto pauses = root->source->take_pauses(wall_now());
    if (!pauses) continue;
    log_info("{}: paused: {}", root->session.path, spool::held_text(root->source->paused()));
    dispatcher_.pause(root->session.index, std::move(*pauses));
    next_heartbeat_ = std::min(next_heartbeat_, Deadline::after(monotonic_now(), kPauseSaid));
  }
}

bool Worker::is_only_held() const {
  const auto is_quiet = [](const auto& root) {
    const SourceState state = root->source->state();
    return state.is_idle && state.is_drained;
  };
  return dispatcher_.held() > 0 && dispatcher_.waiting() == dispatcher_.held() &&
         dispatcher_.in_flight() == 0 && std::all_of(roots_.begin(), roots_.end(), is_quiet);
}

void Worker::turn() {
  if (phase_ == Phase::kStopped) return loop_.stop();  // By a signal, since the last turn.
  MonotonicTime now = monotonic_now();
  if (runner_->endings() != endings_seen_) spin_until_ = now + kSpin;
  endings_seen_ = runner_->endings();
  for (const auto& root : roots_) {
    if (root->source->next_wake().is_reached(now)) root->source->on_wake(now);
  }
  const bool is_more_likely = take_arrivals(now);
  now = monotonic_now();
  runner_->on_wake(now);
  if (takes_requests(phase_)) {
    if (runner_->waiting() > 0) heed_pauses();
    if (now >= next_lock_look_) give_up_lost_roots(now);
    if (takes_requests(phase_)) runner_->start_ready(now);
  }
  for (const auto& root : roots_) {
    root->source->flush();
    root->poll->update();
  }
  advance_lifecycle(now);
  if (phase_ == Phase::kStopped) return loop_.stop();
  heartbeat(now);
  if (is_more_likely || (now < spin_until_ && !is_busy())) {
    loop_.turn_again();
  } else {
    loop_.wait_until(next_wake(now), now);
  }
}

void Worker::advance_lifecycle(MonotonicTime now) {
  if (grace_.is_reached(now)) {
    grace_ = Deadline::never();
    enter(next_phase(phase_, LifecycleEvent::kGraceOver, config_.drain));
  }
  if (runner_->is_idle() && is_stuck()) {
    enter(next_phase(phase_, LifecycleEvent::kStuck, config_.drain));
  }
  if (config_.drain && phase_ == Phase::kRunning && is_only_held()) {
    const auto held = static_cast<std::int64_t>(dispatcher_.held());
    log_warn("{} pending: {} paused", counted_noun(held, "request stays", "requests stay"),
             one_or_many(held, "it is", "they are"));
    enter(next_phase(phase_, LifecycleEvent::kStopSignal, config_.drain));
  }
  if (is_busy()) return;
  enter(next_phase(phase_, LifecycleEvent::kIdle, config_.drain));
  if (is_drained()) enter(next_phase(phase_, LifecycleEvent::kAllDrained, config_.drain));
}

void Worker::enter(Phase phase) {
  if (phase == phase_) return;
  phase_ = phase;
  switch (phase) {
    case Phase::kRunning:
      break;
    case Phase::kDraining:
      service_manager_.stopping();
      runner_->give_back_waiting();
      if (!waits_for_all_) grace_ = Deadline::after(monotonic_now(), config_.grace);
      publish_status(WorkerState::kDraining);
      break;
    case Phase::kCancelling:
      log_warn("the grace of {} is over: ending what still runs", format_duration(config_.grace));
      runner_->interrupt_executing();
      break;
    case Phase::kStopped:
      service_manager_.stopping();
      break;
  }
}

Deadline Worker::next_wake(MonotonicTime now) {
  Deadline wake = std::min({runner_->next_wake(now), grace_, next_heartbeat_});
  for (const auto& root : roots_) wake = std::min(wake, root->source->next_wake());
  if (dispatcher_.held() > 0) wake = std::min(wake, Deadline::after(now, kPauseLook));
  return wake;
}

void Worker::heartbeat(MonotonicTime now) {
  // A scan is work, too, and what it took is given back after it.
  const bool busy = is_busy() || !is_drained();
  // Becoming idle or busy is reported soon, so that nobody takes a busy worker for an idle one.
  if (busy != was_busy_) {
    next_heartbeat_ = std::min(next_heartbeat_, Deadline::after(now, limits::kHeartbeatSettled));
  }
  was_busy_ = busy;
  if (!next_heartbeat_.is_reached(now)) return;
  give_up_lost_roots(now);
  heed_pauses();
  publish_status(phase_ == Phase::kRunning ? WorkerState::kReady : WorkerState::kDraining);
  service_manager_.alive();
  if (!busy) {
    if (phase_ == Phase::kRunning) retired_.clear();
    release_free_memory();
  }
  const Duration period = std::min(busy ? limits::kHeartbeatBusy : limits::kHeartbeatIdle,
                                   service_manager_.watchdog_period());
  next_heartbeat_ = Deadline::after(now, period);
}

void Worker::publish_status(WorkerState state) {
  const auto destinations =
      list_destinations(dispatcher_.states(monotonic_now()), registry_->problems());
  for (const auto& root : roots_) {
    const Session& session = root->session;
    const std::size_t executing = runner_->executing_in(session);
    WorkerStatus status = facts_;
    status.state = state;
    status.heartbeat_at = wall_now();
    status.counts.success = session.successes;
    status.counts.error = session.errors;
    status.counts.pending =
        static_cast<std::int64_t>(session.jobs.size() - executing + session.undelivered);
    status.counts.executing = static_cast<std::int64_t>(executing);
    status.destinations = destinations;
    status.paused = root->source->paused().first;
    status.paused_count = static_cast<std::int64_t>(root->source->paused().count);
    if (const auto written = root->source->write_status(std::move(status)); !written) {
      log_warn("{}: status not written: {}", session.path, written.error().message);
    }
  }
}

/// A root whose worker/ was removed under us may get another worker at any time: stop like on a
/// signal, so that no command is started beside one of its.
void Worker::give_up_lost_roots(MonotonicTime now) {
  next_lock_look_ = now + kLockLook;
  if (phase_ != Phase::kRunning) return;
  for (const auto& root : roots_) {
    if (root->source->owns_root()) continue;
    log_error("{}: worker/lock was removed or replaced; stopping, start a worker again",
              root->session.path);
    has_lost_root_ = true;
    runner_->give_back_starting();
    enter(next_phase(phase_, LifecycleEvent::kStopSignal, config_.drain));
    return;
  }
}

WorkerEnd Worker::run() {
  // A client that goes away while we write to its pipe must not end us.
  std::signal(SIGPIPE, SIG_IGN);
  // Who reads that this worker is ready may stop it at once.
  loop_.listen({[this] { turn(); }, [this] { return runner_->endings() != endings_seen_; },
                [this](int signal) { on_signal(signal); }});
  heed_pauses();
  publish_status(WorkerState::kReady);
  next_heartbeat_ = Deadline::after(monotonic_now(), limits::kHeartbeatBusy);
  service_manager_.ready();
  log_info("ready: serving {} root(s) as {}", roots_.size(), facts_.instance);
  loop_.run();
  // After a second signal something may still run.
  runner_->abandon_executing();
  bool has_unwritten = false;
  for (const auto& root : roots_) {
    const SourceState state = root->source->state();
    if (!state.is_idle && !state.problem.empty()) {
      has_unwritten = true;
      log_error(
          "{}: stopped with responses that were not written; the next worker answers them: {}",
          root->session.path, state.problem);
    }
    root->source->close();
  }
  publish_status(WorkerState::kStopped);
  log_info("stopped");
  return {has_lost_root_, is_busy(), has_unwritten};
}

}  // namespace filecall::worker
