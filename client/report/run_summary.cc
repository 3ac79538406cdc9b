// SPDX-License-Identifier: MIT
#include "client/report/run_summary.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

RequestOutcome shortened(RequestOutcome outcome) {
  if (outcome.error_message.size() > RunSummary::kMessageBytesMax) {
    std::size_t cut = RunSummary::kMessageBytesMax;
    // Not inside a UTF-8 sequence.
    while (cut > 0 && (static_cast<unsigned char>(outcome.error_message[cut]) & 0xc0) == 0x80) {
      --cut;
    }
    outcome.error_message.resize(cut);
    outcome.error_message += "...";
  }
  return outcome;
}

}  // namespace

void RunSummary::add(const RequestOutcome& outcome) { add_part(outcome, Part::kRequest); }

void RunSummary::add_step(const RequestOutcome& outcome, bool is_tolerated) {
  add_part(outcome, is_tolerated ? Part::kToleratedStep : Part::kStep);
}

void RunSummary::add_given_up_conversation(RequestOutcome shown) {
  if (gave_up_list_.size() < kGaveUpMax) gave_up_list_.push_back(shortened(std::move(shown)));
}

void RunSummary::add_part(const RequestOutcome& outcome, Part part) {
  const bool is_success = outcome.state == RequestState::kSuccess;
  const bool is_tolerated = part == Part::kToleratedStep;
  ++(is_success ? success_ : is_tolerated ? tolerated_ : gave_up_);
  if (!outcome.is_cached && !is_never_asked(outcome)) {
    const auto attempts = std::clamp(outcome.attempts, 1, kAttemptsMax);
    ++by_attempts_[static_cast<std::size_t>(attempts - 1)];
  }

  const bool is_known = by_command_.size() < kCommandsMax || by_command_.contains(outcome.command);
  CommandRow& row = by_command_[is_known ? outcome.command : "(others)"];
  ++(is_success ? row.success : row.gave_up);

  if (!is_success && !is_tolerated) {
    ++by_error_[static_cast<std::size_t>(outcome.error_code.value_or(ErrorCode::kUnknown))];
    const bool is_listed = part == Part::kRequest && gave_up_list_.size() < kGaveUpMax;
    if (is_listed) gave_up_list_.push_back(shortened(outcome));
  }
  if (outcome.from_earlier_run) {
    ++(outcome.is_followed ? followed_ : earlier_);
    return;
  }
  if (outcome.is_cached) {
    ++cached_;
    return;
  }
  TimeLine::Bucket& bucket = time_line_.at(outcome.finished_at - started_at_);
  ++(is_success ? bucket.success : bucket.gave_up);
  if (is_never_asked(outcome)) return;  // It took no time.
  latency_ms_.add(outcome.latency_ms);
  queued_ms_.add(outcome.queued_ms);
  run_ms_.add(outcome.run_ms);
  keep_slow(outcome);
}

void RunSummary::keep_slow(const RequestOutcome& outcome) {
  const auto is_slower = [](const RequestOutcome& a, const RequestOutcome& b) {
    return a.latency_ms > b.latency_ms;
  };
  if (slowest_.size() == kSlowestMax && !is_slower(outcome, slowest_.back())) return;
  slowest_.insert(std::upper_bound(slowest_.begin(), slowest_.end(), outcome, is_slower),
                  shortened(outcome));
  if (slowest_.size() > kSlowestMax) slowest_.pop_back();
}

void RunSummary::set_retries(std::int64_t retries, WallTime now) {
  if (retries > retries_) time_line_.at(now - started_at_).retries += retries - retries_;
  retries_ = retries;  // Fewer: a worker gave an attempt back before it began.
}

void RunSummary::finish(WallTime now, bool was_interrupted) {
  finished_at_ = std::max(now, started_at_);
  was_interrupted_ = was_interrupted;
}

std::string RunSummary::retried_text() const {
  const bool is_all_listed = gave_up() == static_cast<std::int64_t>(gave_up_list().size());
  return (is_all_listed ? "" : "at least ") + human_count(retried_meanwhile);
}

double RunSummary::rate() const {
  const double elapsed_s = std::chrono::duration<double>(elapsed()).count();
  return elapsed_s <= 0 ? 0 : static_cast<double>(asked()) / elapsed_s;
}

}  // namespace filecall::client
