// SPDX-License-Identifier: MIT
#include "client/engine/flight.h"

#include <fmt/core.h>

#include <algorithm>

namespace filecall::client {

void hand_back(Flight& flight) {
  if (flight.run->is_stopping) {
    ++flight.run->left;
    return;
  }
  Submission submission{flight.id(), flight.task.row.command, std::move(flight.task.bytes)};
  submission.refusal = std::move(flight.refusal);
  submission.retry = flight.retry;
  submission.attempt_timeout = flight.attempt_timeout;
  flight.run->unended.push_back(std::move(submission));
}

RequestOutcome outcome_of(const RequestRow& row, bool is_from_earlier) {
  RequestOutcome outcome;
  describe(row, outcome);
  outcome.finished_at = row.finished_at.value_or(row.progress.changed_at);
  // Between the milliseconds that a row keeps: who reads it later gets the same.
  outcome.latency_ms = std::max<std::int64_t>(0, to_ms(outcome.finished_at.time_since_epoch()) -
                                                     to_ms(outcome.asked_at.time_since_epoch()));
  outcome.from_earlier_run = is_from_earlier;
  return outcome;
}

RequestOutcome outcome_of(const Flight& flight) {
  RequestOutcome outcome = outcome_of(flight.task.row, flight.is_from_earlier);
  outcome.is_cached = flight.is_cached;
  outcome.run = flight.run_id;
  outcome.response = flight.response;
  return outcome;
}

RequestOutcome rejection_of(const Flight& flight, const std::string& reason) {
  RequestOutcome outcome = outcome_of(flight.task.row, false);
  outcome.state = RequestState::kGaveUp;
  outcome.attempts = 0;
  outcome.error_code = ErrorCode::kInvalidArgument;
  outcome.error_message = fmt::format("{}: {}", flight.id(), reason);
  outcome.finished_at = flight.task.row.submitted_at;
  outcome.run = flight.run_id;
  return outcome;
}

}  // namespace filecall::client
