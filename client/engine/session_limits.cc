// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>

#include "client/engine/session.h"
#include "ipc/response.h"

namespace filecall::client {

void Session::begin_with(const RunTotals& earlier) {
  has_earlier_ = true;
  progress_.spend = earlier.spend;
  errors_ = earlier.errors;
}

std::string Session::limit_reason() const {
  if (stop_reason_.empty()) return {};
  return fmt::format("{}; {} requests are left", stop_reason_,
                     left_ + static_cast<std::int64_t>(flights_.size()));
}

RunTotals Session::totals() const {
  return {progress_.spend, errors_, unused_, static_cast<std::int64_t>(flights_.size()) - waiting_};
}

void Session::count(Flight& flight, const Response& response) {
  const Spend spend = spend_of(response, options_.prices);
  flight.row.spend += spend;
  progress_.spend += spend;
  progress_.spend_now += spend;
}

void Session::count_earlier(const RequestRow& row) {
  if (has_earlier_) return;
  progress_.spend += row.spend;
}

void Session::note_end(const Flight& flight) {
  if (flight.is_from_earlier || flight.is_cached) return;
  if (flight.row.progress.state == RequestState::kGaveUp) {
    ++errors_;
  } else if (flight.row.spend.calls == 0) {
    ++unused_;
  }
}

void Session::heed_limits() {
  if (is_stopping() || !options_.limits.any()) return;
  AdmissionVerdict verdict = admit(options_.limits, totals());
  if (verdict.admission == Admission::kStop) stop_reason_ = std::move(verdict.reason);
}

// What waits for its next attempt, or was never dropped, is left as it is: its row says where it
// stands.
bool Session::is_stopped(const Intake& intake) const {
  if (!is_stopping() || !intake.is_exhausted() || !last_rows_.empty()) return false;
  return std::all_of(flights_.begin(), flights_.end(), [](const auto& entry) {
    const Flight& flight = *entry.second;
    const bool is_untouched = flight.is_held || flight.is_followed;
    return !flight.is_listed &&
           (is_untouched || flight.row.progress.state == RequestState::kWaiting);
  });
}

Result<void> Session::leave(const Submission& submission) {
  if (flights_.contains(submission.request_id)) return {};
  TRY_ASSIGN(const auto row, store_.find(submission.request_id));
  const bool is_over = row && is_final(row->progress.state) &&
                       (row->progress.state == RequestState::kSuccess || row->progress.copied);
  if (!is_over) {
    ++left_;
    return {};
  }
  ++progress_.by_state.at(static_cast<std::size_t>(row->progress.state));
  count_earlier(*row);
  observer_.on_outcome(outcome_of(*row, true));
  return {};
}

}  // namespace filecall::client
