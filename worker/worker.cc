// SPDX-License-Identifier: MIT
#include "worker/worker.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/duration.h"
#include "base/log.h"
#include "ipc/limits.h"
#include "loop/loop_timer.h"
#include "os/clock.h"
#include "os/process.h"
#include "worker/core/lifecycle.h"
#include "worker/exec/registry/registry.h"
#include "worker/free_memory.h"
#include "worker/job_runner.h"
#include "worker/outbox.h"
#include "worker/service_manager.h"
#include "worker/status.h"

namespace filecall::worker {
namespace {

/// Waking an idle CPU costs more than answering a request: after an answer, look for more for this
/// long before blocking. Not while anything runs or is on its way to the disk: a child, a server on
/// the same machine, the pool's threads need the CPU, and their end wakes the loop anyway.
constexpr Duration kSpin = std::chrono::microseconds(50);

class LoopWorker final : public Worker {
 public:
  explicit LoopWorker(const Config& config);
  ~LoopWorker() override;

  Result<void> open_roots();
  bool run() override;

 private:
  struct SourcePoll {
    uv_poll_t handle{};
    int fd = -1;
  };

  void watch_loop();
  void watch_sources();
  void on_signal(int signal);
  void turn();
  bool take_arrivals(MonotonicTime now);
  void advance_lifecycle(MonotonicTime now);
  void enter(Phase phase);
  void arm_timer(MonotonicTime now);
  void heartbeat(MonotonicTime now);
  void publish_status(WorkerState state);
  void give_up_lost_roots();
  void rest_sources();
  bool has_intake(const RootSession& session) const;
  bool is_busy() const { return !runner_->is_idle() || !outbox_->is_idle(); }
  bool is_drained() const;

  Config config_;
  uv_loop_t loop_{};
  uv_prepare_t prepare_{};
  uv_check_t check_{};
  uv_idle_t idle_{};
  uv_signal_t sigterm_{}, sigint_{};
  std::vector<std::unique_ptr<SourcePoll>> polls_;

  std::vector<std::unique_ptr<RootSession>> sessions_;
  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<JobRunner> runner_;
  std::unique_ptr<LoopTimer> timer_;
  ServiceManager service_manager_;
  StatusFacts facts_;

  Phase phase_ = Phase::kRunning;
  int signals_ = 0;
  Deadline grace_;
  Deadline next_heartbeat_;
  MonotonicTime spin_until_{};
  std::uint64_t endings_seen_ = 0;  ///< When the last turn began.
  bool was_busy_ = false;
  bool has_lost_root_ = false;
  std::size_t first_session_ = 0;
};

LoopWorker::LoopWorker(const Config& config) : config_(config) {
  CHECK(uv_loop_init(&loop_) == 0, "a loop can be created at start");
  const MonotonicTime now = monotonic_now();
  facts_.pid = ::getpid();
  facts_.instance = make_instance_id();
  facts_.boot_id = boot_id();
  facts_.started_at = wall_now();
  facts_.durability = to_string(config_.source.durability);
  outbox_ = std::make_unique<Outbox>(&loop_);
  // The turn is taken after the poll, and a timer that is due at once fires before it: without this
  // the poll would then wait for ever.
  timer_ =
      std::make_unique<LoopTimer>(&loop_, [this] { uv_idle_start(&idle_, [](uv_idle_t*) {}); });
  dispatcher_ = std::make_unique<Dispatcher>(config_.destinations, now);
}

LoopWorker::~LoopWorker() {
  runner_.reset();
  registry_.reset();
  outbox_.reset();
  timer_.reset();
  uv_walk(
      &loop_,
      [](uv_handle_t* handle, void*) {
        if (!uv_is_closing(handle)) uv_close(handle, nullptr);
      },
      nullptr);
  uv_run(&loop_, UV_RUN_DEFAULT);
  uv_loop_close(&loop_);
}

Result<void> LoopWorker::open_roots() {
  RootSessionOptions options{config_.source, config_.allow_shared_root};
  // Asked only once arrivals are taken: the registry is there by then.
  options.source.may_repeat = [this](const Request& request) {
    return registry_->may_repeat(request);
  };
  for (const std::string& path : config_.roots) {
    TRY_ASSIGN(auto session, open_root_session(static_cast<int>(sessions_.size()), path, options,
                                               monotonic_now()));
    sessions_.push_back(std::move(session));
  }
  TRY_ASSIGN(registry_, Registry::create(&loop_, config_.tool, config_.llm, config_.kube));
  facts_.missing_protections = registry_->missing_protections();
  for (const std::string& missing : facts_.missing_protections) {
    log_warn("tools run with less protection than asked for: {}", missing);
  }
  runner_ = std::make_unique<JobRunner>(*registry_, *dispatcher_, *outbox_, facts_.instance);
  registry_->set_cancel_target(*runner_);
  for (const auto& session : sessions_) runner_->serve(*session);
  for (const CommandInfo* info : registry_->commands()) {
    facts_.commands.push_back({info->name, info->effects});
  }
  return {};
}

void LoopWorker::watch_loop() {
  prepare_.data = check_.data = idle_.data = sigterm_.data = sigint_.data = this;
  // What ends in the turn, or after it (in a handle's closing), made room and may have woken a
  // client: another turn follows before the loop waits.
  uv_prepare_init(&loop_, &prepare_);
  uv_prepare_start(&prepare_, [](uv_prepare_t* h) {
    auto* worker = static_cast<LoopWorker*>(h->data);
    if (worker->runner_->endings() != worker->endings_seen_) {
      uv_idle_start(&worker->idle_, [](uv_idle_t*) {});
    }
  });
  uv_check_init(&loop_, &check_);
  uv_check_start(&check_, [](uv_check_t* h) { static_cast<LoopWorker*>(h->data)->turn(); });
  uv_idle_init(&loop_, &idle_);
  for (auto [handle, signal] : {std::pair(&sigterm_, SIGTERM), std::pair(&sigint_, SIGINT)}) {
    uv_signal_init(&loop_, handle);
    uv_signal_start(
        handle,
        [](uv_signal_t* h, int number) { static_cast<LoopWorker*>(h->data)->on_signal(number); },
        signal);
  }
  // A client that goes away while we write to its pipe must not end us.
  std::signal(SIGPIPE, SIG_IGN);
}

void LoopWorker::watch_sources() {
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    if (polls_.size() <= i) polls_.push_back(std::make_unique<SourcePoll>());
    SourcePoll& poll = *polls_[i];
    spool::Source* source = sessions_[i]->source.get();
    const int fd = source->poll_fd();
    if (fd == poll.fd) continue;
    // The source switched to polling, or watches a replaced directory with a new descriptor.
    if (poll.fd >= 0) {
      auto old = std::move(polls_[i]);
      polls_[i] = std::make_unique<SourcePoll>();
      uv_poll_stop(&old->handle);
      old->handle.data = old.get();
      uv_close(reinterpret_cast<uv_handle_t*>(&old.release()->handle),
               [](uv_handle_t* h) { delete static_cast<SourcePoll*>(h->data); });
    }
    SourcePoll& fresh = *polls_[i];
    fresh.fd = fd;
    if (fd < 0) continue;
    fresh.handle.data = source;
    CHECK(uv_poll_init(&loop_, &fresh.handle, fd) == 0, "an inotify descriptor can be polled");
    uv_poll_start(&fresh.handle, UV_READABLE, [](uv_poll_t* h, int, int) {
      static_cast<spool::Source*>(h->data)->on_readable(monotonic_now());
    });
  }
}

void LoopWorker::on_signal(int signal) {
  log_info("signal {}: {}", signal,
           signals_ == 0 ? "taking nothing new, finishing what runs" : "stopping at once");
  ++signals_;
  enter(next_phase(phase_, LifecycleEvent::kStopSignal, config_.drain));
}

bool LoopWorker::has_intake(const RootSession& session) const {
  // A root whose disk is full takes nothing new and holds up no other root.
  return takes_requests(phase_) && outbox_->problem(*session.source).empty() &&
         outbox_->pending() - outbox_->stuck() < limits::kAnswersInFlightMax &&
         runner_->waiting() < limits::kWaitingJobsMax;
}

bool LoopWorker::is_drained() const {
  return std::all_of(sessions_.begin(), sessions_.end(),
                     [](const auto& session) { return session->source->is_drained(); });
}

bool LoopWorker::take_arrivals(MonotonicTime now) {
  bool is_more_likely = false;
  // Another root goes first every turn, so that a flood in one cannot starve the others.
  first_session_ = sessions_.empty() ? 0 : (first_session_ + 1) % sessions_.size();
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    RootSession& session = *sessions_[(first_session_ + i) % sessions_.size()];
    int taken = 0;
    while (taken < limits::kArrivalsPerTurn && has_intake(session)) {
      auto arrival = session.source->next(now);
      if (!arrival) break;
      ++taken;
      runner_->accept(session, std::move(*arrival), now);
    }
    if (taken == limits::kArrivalsPerTurn) is_more_likely = true;
  }
  return is_more_likely;
}

void LoopWorker::turn() {
  if (phase_ == Phase::kStopped) {  // By a signal, since the last turn.
    uv_stop(&loop_);
    return;
  }
  MonotonicTime now = monotonic_now();
  if (runner_->endings() != endings_seen_) spin_until_ = now + kSpin;
  endings_seen_ = runner_->endings();
  for (const auto& session : sessions_) {
    if (session->source->next_wake().is_reached(now)) session->source->on_wake(now);
  }
  const bool is_more_likely = take_arrivals(now);
  now = monotonic_now();
  runner_->expire(now);
  if (takes_requests(phase_)) runner_->start_ready(now);
  outbox_->flush();
  watch_sources();
  advance_lifecycle(now);
  if (phase_ == Phase::kStopped) {
    uv_stop(&loop_);
    return;
  }
  heartbeat(now);
  if (is_more_likely || (now < spin_until_ && !is_busy())) {
    uv_idle_start(&idle_, [](uv_idle_t*) {});
  } else {
    uv_idle_stop(&idle_);
    arm_timer(now);
  }
}

void LoopWorker::advance_lifecycle(MonotonicTime now) {
  if (grace_.is_reached(now)) {
    grace_ = Deadline::never();
    enter(next_phase(phase_, LifecycleEvent::kGraceOver, config_.drain));
  }
  if (is_busy()) return;
  enter(next_phase(phase_, LifecycleEvent::kIdle, config_.drain));
  if (is_drained()) enter(next_phase(phase_, LifecycleEvent::kAllDrained, config_.drain));
}

void LoopWorker::enter(Phase phase) {
  if (phase == phase_) return;
  phase_ = phase;
  switch (phase) {
    case Phase::kRunning:
      break;
    case Phase::kDraining:
      service_manager_.stopping();
      runner_->give_back_waiting();
      grace_ = Deadline::after(monotonic_now(), config_.grace);
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

void LoopWorker::arm_timer(MonotonicTime now) {
  Deadline wake = std::min({runner_->next_wake(now), grace_, next_heartbeat_});
  for (const auto& session : sessions_) wake = std::min(wake, session->source->next_wake());
  if (wake.is_never()) {
    timer_->stop();
  } else {
    uv_update_time(&loop_);
    timer_->start(wake.time_left(now));
  }
}

void LoopWorker::heartbeat(MonotonicTime now) {
  // A scan is work, too, and what it took is given back after it.
  const bool busy = is_busy() || !is_drained();
  // Becoming idle is told at once, so that counts at rest are right; becoming busy within a second.
  if (busy && !was_busy_) {
    next_heartbeat_ = std::min(next_heartbeat_, Deadline::after(now, limits::kHeartbeatBusy));
  }
  was_busy_ = busy;
  if (!next_heartbeat_.is_reached(now)) return;
  give_up_lost_roots();
  publish_status(phase_ == Phase::kRunning ? WorkerState::kReady : WorkerState::kDraining);
  service_manager_.alive();
  if (!busy) release_free_memory();
  const Duration period = std::min(busy ? limits::kHeartbeatBusy : limits::kHeartbeatIdle,
                                   service_manager_.watchdog_period());
  next_heartbeat_ = Deadline::after(now, period);
}

void LoopWorker::publish_status(WorkerState state) {
  const auto destinations =
      list_destinations(dispatcher_->states(monotonic_now()), registry_->problems());
  for (const auto& session : sessions_) {
    const std::size_t executing = runner_->executing_in(*session);
    const auto written = write_status(*session, facts_, state, outbox_->problem(*session->source),
                                      session->jobs.size() - executing, executing, destinations);
    if (!written) log_warn("{}: status not written: {}", session->path, written.error().message);
  }
}

/// A root whose worker/ was removed under us may get another worker at any time: stop like on a
/// signal, so that no command is started beside one of its.
void LoopWorker::give_up_lost_roots() {
  if (phase_ != Phase::kRunning) return;
  for (const auto& session : sessions_) {
    if (session->owns_root()) continue;
    log_error("{}: worker/lock was removed or replaced; stopping, start a worker anew",
              session->path);
    has_lost_root_ = true;
    enter(next_phase(phase_, LifecycleEvent::kStopSignal, config_.drain));
    return;
  }
}

/// Whatever is still under way will be found by the next start, in the journal.
void LoopWorker::rest_sources() {
  if (is_busy()) return;
  for (const auto& session : sessions_) {
    if (const auto rested = session->source->rest(); !rested) {
      log_warn("{}: the journal stays: {}", session->path, rested.error().message);
    }
  }
}

bool LoopWorker::run() {
  watch_loop();
  watch_sources();
  publish_status(WorkerState::kReady);
  next_heartbeat_ = Deadline::after(monotonic_now(), limits::kHeartbeatBusy);
  service_manager_.ready();
  log_info("ready: serving {} root(s) as {}", sessions_.size(), facts_.instance);
  uv_idle_start(&idle_, [](uv_idle_t*) {});
  uv_run(&loop_, UV_RUN_DEFAULT);
  if (is_busy()) {
    // A second signal: what runs is left to its guards, which end it when this process is gone.
    outbox_->abandon_stuck();
    runner_->abandon_executing();
  }
  rest_sources();
  publish_status(WorkerState::kStopped);
  log_info("stopped");
  if (is_busy()) {
    set_log_sink(nullptr, LogLevel::kOff);
    ::_exit(has_lost_root_ ? 1 : 0);
  }
  return !has_lost_root_;
}

}  // namespace

Result<std::unique_ptr<Worker>> Worker::open(const Config& config) {
  auto worker = std::make_unique<LoopWorker>(config);
  TRY(worker->open_roots());
  return std::unique_ptr<Worker>(std::move(worker));
}

}  // namespace filecall::worker
