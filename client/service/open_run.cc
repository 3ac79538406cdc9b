// SPDX-License-Identifier: MIT
#include "client/service/open_run.h"

#include <fmt/core.h>

#include <utility>

#include "client/core/same_request.h"

namespace filecall::client {

OpenRun::OpenRun(Driver& driver, RequestChannel& channel, std::string batch)
    : driver_(driver), channel_(channel), run_(driver.begin_run(std::move(batch))) {}

Result<void> OpenRun::submit(Submission submission) {
  // The driver would refuse it too, but only when it has a worker to ask.
  const auto existing = channel_.read_request(submission.request_id);
  const bool is_other = !existing || (*existing && !is_same_request(**existing, submission.bytes));
  if (is_other) {
    return fail(ErrorCode::kAlreadyExists,
                fmt::format("'{}': {}; use another id", submission.request_id,
                            existing ? "a request of that id with other content is there"
                                     : existing.error().message));
  }
  submission.run = run_;
  driver_.submit(std::move(submission));
  return {};
}

Result<void> OpenRun::await(std::string_view id, Deadline until) {
  if (!driver_.is_in_flight(id) && !outcomes_.contains(id)) {
    return fail(ErrorCode::kNotFound, fmt::format("{}: was not submitted here", id));
  }
  awaited_ = std::string(id);
  until_ = until;
  return {};
}

std::optional<RequestOutcome> OpenRun::take_outcome(std::string_view id) {
  const auto found = outcomes_.find(id);
  if (found == outcomes_.end() || driver_.is_in_flight(id)) return std::nullopt;
  auto node = outcomes_.extract(found);
  return std::move(node.mapped());
}

Result<void> OpenRun::advance(MonotonicTime now) {
  now_ = now;
  return {};
}

void OpenRun::take(const RequestOutcome& outcome) {
  outcomes_.insert_or_assign(outcome.request_id, outcome);
}

// Not before the driver has dropped it: then its last row is written.
Intake::Standing OpenRun::standing() const {
  const bool is_over = !driver_.is_in_flight(awaited_) || until_.is_reached(now_);
  return is_over ? Standing::kDone : Standing::kGoesOn;
}

}  // namespace filecall::client
