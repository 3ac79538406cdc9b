// SPDX-License-Identifier: MIT
#include "client/engine/feed_run.h"

#include <fmt/core.h>

#include <utility>

#include "base/count_text.h"
#include "ipc/limits.h"

namespace filecall::client {
namespace {

// How often a feed that has nothing yet is asked when nothing else happens.
constexpr Duration kAskEvery = milliseconds(100);
constexpr Duration kResumedAgain = milliseconds(500);
// What is kept in memory during a pause.
constexpr std::size_t kUnendedMax = 65536;
constexpr std::size_t kUnendedBytesMax = std::size_t{32} << 20;

}  // namespace

FeedRun::FeedRun(Driver& driver, SubmissionFeed& feed, FeedRunOptions options)
    : driver_(driver),
      feed_(feed),
      options_(std::move(options)),
      run_(driver.begin_run(options_.batch)),
      errors_(options_.earlier ? options_.earlier->errors : 0),
      budget_(options_.limits, options_.prices,
              options_.earlier ? options_.earlier->spend : Spend{}) {}

Result<void> FeedRun::advance(MonotonicTime now) {
  asked_ = now;
  taken_when_asked_ = taken_;
  heed_limits();
  take_unended();
  take_from_feed();
  heeded_ = usage();
  return {};
}

void FeedRun::take_from_feed() {
  is_early_ = false;
  for (int taken = 0; taken < limits::kArrivalsPerTurn; ++taken) {
    if (!(is_stopping() || has_room()) || is_full()) return;
    if (!fetch() || !is_admitted()) return;
    next_->run = run_;
    next_->only_looks = only_looks();
    if (!only_looks() && next_->refusal.empty())
      budget_.reserve(next_->request_id, next_call_, totals().spend);
    driver_.submit(*std::exchange(next_, std::nullopt));
  }
}

// During a pause: the rest of the feed is looked up before anything begins.
void FeedRun::take_unended() {
  for (Submission& submission : driver_.take_unended(run_)) {
    unended_bytes_ += submission.bytes.size();
    unended_.push_back(std::move(submission));
  }
}

bool FeedRun::is_full() const {
  if (!is_paused_ || is_stopping()) return false;
  return unended_.size() >= kUnendedMax || unended_bytes_ >= kUnendedBytesMax;
}

bool FeedRun::fetch() {
  if (next_) return true;
  if (!unended_.empty() && (is_stopping() || !is_paused_)) {
    next_ = std::move(unended_.front());
    unended_.pop_front();
    unended_bytes_ -= next_->bytes.size();
    if (budget_.is_needed()) next_call_ = estimate_call(next_->bytes);
    return true;
  }
  if (is_exhausted_) return false;
  auto offer = feed_.next();
  if (!offer) {
    error_ = offer.error();
    is_exhausted_ = true;
    return false;
  }
  switch (offer->kind) {
    case Offer::Kind::kEnd:
      is_exhausted_ = true;
      return false;
    case Offer::Kind::kNotYet:
      is_early_ = true;
      return false;
    case Offer::Kind::kNextTurn:
      return false;
    case Offer::Kind::kSubmission:
      next_ = std::move(offer->submission);
      if (budget_.is_needed()) next_call_ = estimate_call(next_->bytes);
      return true;
  }
  return false;
}

bool FeedRun::is_admitted() {
  is_held_ = false;
  if (only_looks() || !budget_.is_needed() || !next_->refusal.empty()) return true;
  const RunCounts& counts = driver_.counts(run_);
  const bool is_running = counts.in_flight > counts.waiting;
  AdmissionVerdict verdict = budget_.admit(next_call_, totals().spend, is_running);
  is_held_ = verdict.admission == Admission::kHold;
  if (verdict.admission == Admission::kStop) stop(std::move(verdict.reason));
  return !is_held_;
}

void FeedRun::take(const RequestOutcome& outcome) {
  ++taken_;
  budget_.release(outcome.request_id, outcome.spend);
  if (outcome.from_earlier_run || outcome.is_cached) return;
  // What was not asked follows an error that is counted.
  if (is_never_asked(outcome)) return;
  // Another request of that id: it was none of this run.
  if (outcome.attempts == 0 && outcome.error_code == ErrorCode::kInvalidArgument) return;
  if (outcome.state == RequestState::kGaveUp) ++errors_;
}

void FeedRun::set_paused(bool is_paused) {
  if (is_paused == std::exchange(is_paused_, is_paused)) return;
  driver_.hold_retries(run_, is_paused);
  // What the worker has not begun comes back, and is dropped again when it is resumed.
  if (is_paused) driver_.withdraw(run_, CancelWish::kWithdrawWaiting);
}

Intake::Standing FeedRun::standing() const {
  // A feed that waits for what a stopped run will not end has nothing more to give.
  const bool is_dry = is_stopping() && is_feed_waiting();
  if (!is_exhausted_ && !is_dry) return Standing::kGoesOn;
  const RunCounts& counts = driver_.counts(run_);
  if (next_ || !unended_.empty() || !counts.unended.empty()) return Standing::kGoesOn;
  if (is_exhausted_ && counts.in_flight == 0 && counts.left == 0) return Standing::kDone;
  return is_stopping() && driver_.is_at_rest(run_) ? Standing::kLimit : Standing::kGoesOn;
}

Deadline FeedRun::next_wake() const {
  // What has ended, or waits now, may have freed some of the budget, or have reached a limit.
  if (options_.limits.any() && !is_stopping() && usage() != heeded_) return Deadline::at(asked_);
  const RunCounts& counts = driver_.counts(run_);
  const bool has_kept = next_ || !unended_.empty() || !counts.unended.empty();
  if (is_exhausted_ && !has_kept) return Deadline::never();
  const bool is_paused = is_paused_ && !is_stopping();
  if (is_paused && (is_exhausted_ || is_full())) return Deadline::at(asked_ + kResumedAgain);
  if (!(is_stopping() || has_room())) return Deadline::never();
  if (is_held_ && !is_stopping()) return Deadline::never();
  return is_feed_waiting() ? Deadline::at(asked_ + kAskEvery) : Deadline::at(asked_);
}

bool FeedRun::has_room() const { return driver_.counts(run_).has_room(options_.window); }

FeedRun::Usage FeedRun::usage() const {
  const RunCounts& counts = driver_.counts(run_);
  const Spend spend = totals().spend;
  return {counts.in_flight, counts.waiting, spend.calls, spend.unpriced, spend.cost, taken_};
}

RunTotals FeedRun::totals() const {
  const RunCounts& counts = driver_.counts(run_);
  Spend spend = options_.earlier ? options_.earlier->spend : counts.spend_earlier;
  spend += counts.spend_now;
  return {spend, errors_};
}

void FeedRun::heed_limits() {
  if (is_stopping() || !options_.limits.any()) return;
  const RunTotals so_far = totals();
  AdmissionVerdict verdict = admit(options_.limits, so_far);
  if (verdict.admission == Admission::kStop) return stop(std::move(verdict.reason));
  const bool has_excess = budget_.has_excess(so_far.spend);
  driver_.hold_retries(run_, has_excess || is_paused_);
  const RunCounts& counts = driver_.counts(run_);
  if (has_excess && counts.in_flight == counts.waiting) {
    stop(fmt::format("US$ {:.4f} and {} tokens were used, and the next attempts may pass a limit",
                     so_far.spend.cost, so_far.spend.tokens()));
  }
}

void FeedRun::stop(std::string reason) {
  stop_reason_ = std::move(reason);
  feed_.stop();
  driver_.stop_run(run_);
}

std::string FeedRun::limit_reason() const {
  if (!is_stopping()) return {};
  const RunCounts& counts = driver_.counts(run_);
  const std::int64_t left = counts.left + counts.in_flight;
  return fmt::format("{}; {}{} {} left", stop_reason_, feed_.is_open_ended() ? "at least " : "",
                     counted_noun(left, "request"), one_or_many(left, "is", "are"));
}

}  // namespace filecall::client
