// SPDX-License-Identifier: MIT
#include "client/engine/session.h"

#include <algorithm>

#include "os/clock.h"

namespace filecall::client {
namespace {

// Requests that wait for their next attempt are outside the window; so many may do so.
constexpr int kWaitingMin = 4096;
constexpr Duration kProgressEvery = milliseconds(100);
constexpr Duration kFollowEvery = milliseconds(500);

}  // namespace

Session::Session(const OrchestratorOptions& options, spool::Root& root, StateStore& store,
                 const OwnerLock& owner, EventLoop& loop, const std::atomic<bool>& interrupted,
                 RunObserver& observer, AnswerCache* cache)
    : options_(options),
      root_(root),
      store_(store),
      owner_(owner),
      loop_(loop),
      interrupted_(interrupted),
      observer_(observer),
      cache_(cache),
      random_(options.seed),
      keeper_(options, [&observer](const std::string& text) { observer.on_notice(text); }) {}

bool Session::has_room() const {
  const int total = static_cast<int>(flights_.size());
  return total - waiting_ < options_.window &&
         total < options_.window + std::max(options_.window, kWaitingMin) &&
         (!options_.limits.any() || admit(options_.limits, totals()).admission == Admission::kGo);
}

Result<RunEnd> Session::run(Intake& intake) {
  now_ = monotonic_now();
  TRY(open_watch(intake));
  for (;;) {
    Result<void> turned = turn(intake);
    if (!turned) {
      if (in_transaction_) store_.rollback();
      return Unexpected(turned.error());
    }
    const bool is_done =
        intake.is_exhausted() && flights_.empty() && last_rows_.empty() && left_ == 0;
    const bool has_stopped = is_stopped(intake);
    report_progress(is_done || has_stopped || interrupted_);
    if (interrupted_) return RunEnd::kInterrupted;
    if (is_done) return RunEnd::kDone;
    if (has_stopped) return RunEnd::kLimit;
    if (gate_ == WorkerKeeper::Gate::kNoWorker && !flights_.empty()) return RunEnd::kNoWorker;
    loop_.wait(next_wake(intake), now_);
    now_ = monotonic_now();
  }
}

Result<void> Session::open_watch(Intake& intake) {
  const bool with_requests = intake.wants_requests();
  const auto interest = [this, with_requests](spool::ResponseWatch::Place place,
                                              std::string_view stem) {
    const bool is_known = flights_.contains(stem);
    return place == spool::ResponseWatch::Place::kResponse ? is_known : with_requests && !is_known;
  };
  TRY_ASSIGN(watch_,
             spool::ResponseWatch::open(root_, {.requests = with_requests}, interest, now_));
  return loop_.watch(watch_->poll_fd());
}

Result<void> Session::turn(Intake& intake) {
  owner_liveness_.clear();
  TRY(tend_worker());
  take_hints(intake);
  take_timers();
  heed_limits();
  TRY(intake.take(*this, now_));
  if (now_ >= next_follow_) {
    next_follow_ = now_ + kFollowEvery;
    TRY(follow());
    TRY(take_cancel_wishes());
  }
  return flush();
}

Result<void> Session::tend_worker() {
  // Nobody waits: no worker is needed (a batch that ended earlier, run again).
  if (flights_.empty()) return {};
  const auto before = gate_;
  gate_ = keeper_.tick(now_);
  progress_.worker = keeper_.label();
  if (gate_ == before) return {};
  const bool is_open = gate_ == WorkerKeeper::Gate::kOpen;
  for (auto& [id, flight] : flights_) {
    if (is_open && flight->is_held && !is_stopping()) {
      begin(*flight);
    } else if (is_open && flight->is_unarmed) {
      arm(*flight, options_.attempt_timeout);
    } else if (!is_open && stage_of(flight->row.progress) == Stage::kPolling) {
      // The attempt's time starts anew with the next worker: this one cannot answer any more.
      timers_.disarm(*flight, TimerKind::kStep);
      flight->is_unarmed = true;
    }
  }
  if (is_open) watch_->request_scan(now_);
  return {};
}

void Session::take_hints(Intake& intake) {
  if (loop_.take_readable()) watch_->on_readable(now_);
  if (watch_->next_wake().is_reached(now_)) watch_->on_wake(now_);
  const auto taken = watch_->take();
  for (const auto& hint : taken.hints) {
    const auto found = flights_.find(hint.stem);
    if (found != flights_.end()) {
      look(*found->second);
    } else if (hint.place == spool::ResponseWatch::Place::kRequest) {
      intake.on_request(hint.stem);
    }
  }
}

void Session::take_timers() {
  while (const auto due = timers_.take_due(now_)) on_timer(*due->flight, due->kind);
}

Deadline Session::next_wake(const Intake& intake) const {
  Deadline wake = std::min({timers_.next(), watch_->next_wake(), intake.next_wake()});
  if (!changed_.empty() || !last_rows_.empty() || in_transaction_) return Deadline::at(now_);
  if (!intake.is_exhausted() && wants_more() && intake.next_wake().is_never()) {
    return Deadline::at(now_);
  }
  if (!flights_.empty()) wake = std::min({wake, keeper_.next_wake(), Deadline::at(next_follow_)});
  return wake;
}

void Session::report_progress(bool is_last) {
  if (!is_last && now_ < next_progress_) return;
  next_progress_ = now_ + kProgressEvery;
  const auto count = [&](RequestState state) -> std::int64_t& {
    return progress_.by_state.at(static_cast<std::size_t>(state));
  };
  for (const RequestState state :
       {RequestState::kNew, RequestState::kPolling, RequestState::kWaiting}) {
    count(state) = 0;
  }
  for (const auto& [id, flight] : flights_) {
    if (!is_final(flight->row.progress.state)) ++count(flight->row.progress.state);
  }
  observer_.on_progress(progress_);
}

}  // namespace filecall::client
