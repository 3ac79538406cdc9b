// SPDX-License-Identifier: MIT
#include "client/engine/orchestrator.h"

#include <algorithm>

#include "client/channel/directory_channel.h"
#include "client/engine/answer_cache.h"
#include "client/engine/clerk.h"
#include "client/engine/driver.h"
#include "client/engine/feed_run.h"
#include "client/engine/inline_desk.h"
#include "client/engine/owner_lock.h"
#include "client/engine/pause_heed.h"
#include "client/engine/run_stop.h"
#include "client/engine/thread_desk.h"
#include "client/engine/watch_run.h"
#include "client/engine/worker_keeper.h"
#include "client/store/database_file.h"
#include "client/store/state_store.h"
#include "loop/event_loop.h"
#include "os/clock.h"
#include "os/process.h"
#include "spool/client_files.h"
#include "spool/lock.h"
#include "spool/root.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

constexpr Duration kProgressEvery = milliseconds(100);

}  // namespace

/// In the order in which they need each other.
struct Orchestrator::Parts {
  OrchestratorOptions options;
  WallTime began_at;
  spool::Root root;
  std::unique_ptr<StateStore> store;
  OwnerLock owner;
  std::unique_ptr<AnswerCache> cache;  ///< Null: none.
  std::unique_ptr<EventLoop> loop;
  Interruption interruption{*loop};
  DirectoryChannel channel{root, options.durability};
  std::unique_ptr<Desk> desk{};      ///< Since start().
  std::unique_ptr<Driver> driver{};  ///< The same.
};

Orchestrator::Orchestrator(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Orchestrator::~Orchestrator() = default;

Result<std::unique_ptr<Orchestrator>> Orchestrator::open(const OrchestratorOptions& options) {
  CHECK(options.window > 0, "a window admits at least one request");
  CHECK(options.retry.attempts_max > 0, "a request has at least one attempt");
  TRY_ASSIGN(
      spool::Root root,
      spool::Root::open(options.root, {.allow_shared = options.allow_shared_root, .create = true}));
  TRY(check_worker_config({.root = options.root, .config = options.worker_config}));
  TRY(check_worker_users(options.root));
  TRY_ASSIGN(auto store,
             StateStore::open(root.layout().client_database(), options.durability, wall_now()));
  TRY_ASSIGN(OwnerLock owner, OwnerLock::acquire(root.layout(), options.role));
  spool::sweep_old_temporaries(*root.directories(), wall_now());
  TRY_ASSIGN(auto loop, EventLoop::open());
  std::unique_ptr<AnswerCache> cache;
  if (!options.cache.empty()) {
    TRY_ASSIGN(cache, AnswerCache::open(options.cache));
  }
  std::unique_ptr<Parts> parts(new Parts{options, wall_now(), std::move(root), std::move(store),
                                         std::move(owner), std::move(cache), std::move(loop)});
  if (parts->options.seed == 0) parts->options.seed = random_seed();
  return std::unique_ptr<Orchestrator>(new Orchestrator(std::move(parts)));
}

Result<Driver*> Orchestrator::start(bool follows_requests) {
  Parts& p = *parts_;
  if (p.driver != nullptr) return p.driver.get();
  const auto is_alive = [&owner = p.owner](std::string_view name) { return owner.is_alive(name); };
  Clerk clerk(*p.store, p.channel, p.owner.name(), is_alive, p.cache.get(), p.options.priority);
  // What is put into a cache is synced whatever the root's durability.
  if (p.options.durability == Durability::kNone && p.cache == nullptr) {
    p.desk = std::make_unique<InlineDesk>(std::move(clerk));
  } else {
    TRY_ASSIGN(p.desk, ThreadDesk::open(std::move(clerk)));
  }
  DriverOptions driver;
  driver.owner = p.owner.name();
  driver.retry = p.options.retry;
  driver.attempt_timeout = p.options.attempt_timeout;
  driver.cancel_patience = p.options.cancel_patience;
  driver.prices = p.options.prices;
  driver.cache_all = p.options.cache_all;
  driver.follows_requests = follows_requests;
  driver.seed = p.options.seed;
  driver.began_at = p.began_at;
  TRY_ASSIGN(p.driver,
             Driver::open(std::move(driver), p.channel, *p.desk, p.cache.get(), monotonic_now()));
  TRY(p.loop->watch(p.driver->poll_fd()));
  return p.driver.get();
}

Result<RunEnd> Orchestrator::run(SubmissionFeed& feed, RunObserver& observer,
                                 const std::optional<RunTotals>& earlier) {
  TRY_ASSIGN(Driver* const driver, start(false));
  const OrchestratorOptions& options = parts_->options;
  FeedRun feed_run(*driver, feed,
                   {options.batch, options.window, options.limits, options.prices, earlier});
  TRY_ASSIGN(const RunEnd end, drive(feed_run, observer));
  limit_reason_ = feed_run.limit_reason();
  if (end == RunEnd::kDone && feed_run.error()) return Unexpected(*feed_run.error());
  return end;
}

Result<RunEnd> Orchestrator::watch(RunObserver& observer, bool until_idle) {
  Parts& p = *parts_;
  TRY_ASSIGN(const auto lock,
             spool::FileLock::acquire(p.root.layout().client_watch_lock(), milliseconds(200)));
  TRY_ASSIGN(Driver* const driver, start(true));
  TRY_ASSIGN(const auto store,
             StateStore::open(p.root.layout().client_database(), p.options.durability, wall_now()));
  WatchRun watch_run(
      *driver, p.channel, *store, [&p](std::string_view owner) { return p.owner.is_alive(owner); },
      p.options.window);
  if (until_idle) {
    spool::NameList names;
    TRY(spool::read_directory(p.root.directories()->requests.get(), [&](const auto& entry) {
      const auto stem = spool::Layout::stem_of(entry.name);
      if (stem && entry.may_be_regular) names.add(*stem);
    }));
    watch_run.end_when_idle(std::move(names));
  }
  return drive(watch_run, observer);
}

Interruption& Orchestrator::interruption() { return parts_->interruption; }

RequestChannel& Orchestrator::channel() { return parts_->channel; }

Result<RunEnd> Orchestrator::drive(Intake& intake, RunObserver& observer) {
  Driver& driver = *parts_->driver;
  for (const std::string& notice : parts_->store->notices()) observer.on_notice(notice);
  WorkerKeeper keeper(parts_->options, [&](const std::string& text) { observer.on_notice(text); });
  WorkerKeeper::Gate gate = WorkerKeeper::Gate::kClosed;
  MonotonicTime next_progress{};
  RunStop stopping(driver, parts_->interruption,
                   [&](const std::string& text) { observer.on_notice(text); });
  PauseHeed pauses(parts_->root.layout(), parts_->options.batch);
  for (;;) {
    const MonotonicTime now = monotonic_now();
    if (const auto text = pauses.look(driver, intake, now)) observer.on_notice(*text);
    // Nobody waits: no worker is needed (a batch that ended earlier, run again).
    if (!driver.is_idle()) {
      if (parts_->interruption.is_requested()) keeper.start_none();
      gate = keeper.tick(now);
      driver.set_server(gate == WorkerKeeper::Gate::kOpen, now);
    }
    const bool is_interrupted = parts_->interruption.is_requested();
    if (!is_interrupted) TRY(intake.advance(now));
    if (const auto turned = driver.turn(now); !turned) {
      if (turned.error().code == ErrorCode::kDataLoss) {
        suspect_state_database(parts_->root.layout().client_database());
      }
      return Unexpected(turned.error());
    }
    for (const std::string& notice : driver.take_notices()) observer.on_notice(notice);
    for (const RequestOutcome& outcome : driver.take_outcomes()) {
      intake.take(outcome);
      observer.on_outcome(outcome);
    }
    const Intake::Standing standing = intake.standing();
    const bool has_worker = gate == WorkerKeeper::Gate::kOpen;
    stopping.set_seen_worker(keeper.has_seen_worker());
    const bool is_over = is_interrupted && stopping.is_over(intake, has_worker, now);
    const bool is_last = is_over || standing != Intake::Standing::kGoesOn;
    if (is_last || now >= next_progress) {
      next_progress = now + kProgressEvery;
      report_progress(intake, pauses.label(keeper.label()), observer);
    }
    if (is_over) return RunEnd::kInterrupted;
    if (standing == Intake::Standing::kDone) return RunEnd::kDone;
    if (standing == Intake::Standing::kLimit) return RunEnd::kLimit;
    if (gate == WorkerKeeper::Gate::kNoWorker && !driver.is_idle()) return RunEnd::kNoWorker;
    // An interrupted intake is not asked to advance, so what it waits for matters no more.
    Deadline wake = is_interrupted ? stopping.next_wake() : intake.next_wake();
    wake = std::min(wake, driver.next_wake());
    if (!driver.is_idle()) wake = std::min(wake, keeper.next_wake());
    parts_->loop->wait(wake, now);
  }
}

void Orchestrator::report_progress(const Intake& intake, const std::string& worker,
                                   RunObserver& observer) const {
  const Driver& driver = *parts_->driver;
  const RunCounts& counts = driver.counts(intake.run());
  RunProgress progress;
  progress.by_state = counts.ended;
  const auto in_flight = driver.states(intake.run());
  for (std::size_t i = 0; i < in_flight.size(); ++i) progress.by_state[i] += in_flight[i];
  progress.submitted = counts.submitted;
  progress.retries = counts.retries;
  progress.worker = worker;
  progress.spend = intake.spend();
  progress.spend_now = counts.spend_now;
  observer.on_progress(progress);
}

}  // namespace filecall::client
