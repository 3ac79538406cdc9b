// SPDX-License-Identifier: MIT
#include "client/engine/feed_run.h"

#include <fmt/core.h>

#include <utility>

#include "ipc/limits.h"

namespace filecall::client {
namespace {

// How often a feed that has nothing yet is asked when nothing else happens.
constexpr Duration kAskEvery = milliseconds(100);

}  // namespace

FeedRun::FeedRun(Driver& driver, SubmissionFeed& feed, FeedRunOptions options)
    : driver_(driver),
      feed_(feed),
      options_(std::move(options)),
      run_(driver.begin_run(options_.batch)),
      errors_(options_.earlier ? options_.earlier->errors : 0) {}

Result<void> FeedRun::advance(MonotonicTime now) {
  heed_limits();
  is_early_ = false;
  asked_ = now;
  for (int taken = 0; taken < limits::kArrivalsPerTurn; ++taken) {
    if (is_exhausted_ || !(is_stopping() || has_room())) return {};
    auto offer = feed_.next();
    if (!offer) {
      error_ = offer.error();
      is_exhausted_ = true;
    } else if (offer->kind == Offer::Kind::kEnd) {
      is_exhausted_ = true;
    } else if (offer->kind == Offer::Kind::kNotYet) {
      is_early_ = true;
      return {};
    } else {
      offer->submission.run = run_;
      offer->submission.is_left = is_stopping();
      driver_.submit(std::move(offer->submission));
    }
  }
  return {};
}

void FeedRun::take(const RequestOutcome& outcome) {
  if (outcome.from_earlier_run || outcome.is_cached) return;
  // Another request of that id: it was none of this run.
  if (outcome.attempts == 0 && outcome.error_code == ErrorCode::kInvalidArgument) return;
  if (outcome.state == RequestState::kGaveUp) {
    ++errors_;
  } else if (outcome.spend.calls == 0) {
    ++unused_;
  }
}

Intake::Standing FeedRun::standing() const {
  if (!is_exhausted_) return Standing::kGoesOn;
  const RunCounts& counts = driver_.counts(run_);
  if (counts.in_flight == 0 && counts.left == 0) return Standing::kDone;
  return is_stopping() && driver_.is_at_rest(run_) ? Standing::kLimit : Standing::kGoesOn;
}

Deadline FeedRun::next_wake() const {
  if (is_exhausted_ || !(is_stopping() || has_room())) return Deadline::never();
  return is_early_ ? Deadline::at(asked_ + kAskEvery) : Deadline::at(asked_);
}

bool FeedRun::has_room() const {
  return driver_.counts(run_).has_room(options_.window) &&
         (!options_.limits.any() || admit(options_.limits, totals()).admission == Admission::kGo);
}

RunTotals FeedRun::totals() const {
  const RunCounts& counts = driver_.counts(run_);
  Spend spend = options_.earlier ? options_.earlier->spend : counts.spend_earlier;
  spend += counts.spend_now;
  return {spend, errors_, unused_, counts.in_flight - counts.waiting};
}

void FeedRun::heed_limits() {
  if (is_stopping() || !options_.limits.any()) return;
  AdmissionVerdict verdict = admit(options_.limits, totals());
  if (verdict.admission != Admission::kStop) return;
  stop_reason_ = std::move(verdict.reason);
  driver_.stop_run(run_);
}

std::string FeedRun::limit_reason() const {
  if (!is_stopping()) return {};
  const RunCounts& counts = driver_.counts(run_);
  return fmt::format("{}; {} requests are left", stop_reason_, counts.left + counts.in_flight);
}

}  // namespace filecall::client
