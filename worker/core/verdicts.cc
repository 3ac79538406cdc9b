// SPDX-License-Identifier: MIT
#include "worker/core/verdicts.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/count_text.h"
#include "base/duration.h"

namespace filecall::worker {

Failure bad_input(const RequestFault& fault) {
  Failure failure;
  failure.code = ErrorCode::kInvalidArgument;
  failure.message = fault.message;
  failure.details = {{"pointer", fault.pointer}};
  return failure;
}

Failure out_of_time(std::string_view command, Duration allowed, std::string_view bound) {
  Failure failure;
  failure.code = ErrorCode::kDeadlineExceeded;
  const std::string advice =
      bound.empty()
          ? "raise timeout_ms, or ask for less"
          : fmt::format("{} in the worker's configuration allows no more, so ask for less", bound);
  failure.message =
      fmt::format("{}: not finished after {}; {}", command, format_duration(allowed), advice);
  return failure;
}

Failure not_recorded(const Error& why, bool is_first) {
  Failure failure;
  failure.code = ErrorCode::kUnavailable;
  failure.message = fmt::format("not started: its start could not be recorded: {}", why.message);
  // A full disk, say, is no failure of the request, which is to be asked again when there is space.
  if (why.code == ErrorCode::kResourceExhausted) {
    failure.details = {{"pause", true}};
    if (is_first) failure.details["started"] = false;
  }
  return failure;
}

Failure no_member() {
  Failure failure;
  failure.code = ErrorCode::kPermissionDenied;
  failure.retryable = false;
  failure.message =
      "the request's file belongs to a user who is no member of the root's group; let a member "
      "drop it";
  return failure;
}

Failure too_many_wait(std::size_t waiting_max) {
  constexpr std::int64_t kComeBackMs = 5000;
  Failure failure;
  failure.code = ErrorCode::kResourceExhausted;
  failure.retryable = true;
  failure.retry_after_ms = kComeBackMs;
  failure.message =
      fmt::format("{} already (per_user.max_waiting); drop fewer at once",
                  counted_noun(static_cast<std::int64_t>(waiting_max), "request of this user waits",
                               "requests of this user wait"));
  return failure;
}

Failure cancelled() {
  Failure failure;
  failure.code = ErrorCode::kCancelled;
  failure.message = "cancelled by a system.cancel request";
  return failure;
}

Failure withdrawn() {
  Failure failure;
  failure.code = ErrorCode::kCancelled;
  failure.message = "withdrawn: its client took it back, and asks again when it goes on";
  failure.retryable = true;
  failure.details = {{"pause", true}};
  return failure;
}

Failure given_back() {
  Failure failure = withdrawn();
  failure.details["started"] = false;
  return failure;
}

Failure withdrawn_with_effects() {
  Failure failure = interrupted_by_stop();
  failure.message =
      "interrupted; effects unknown: its client was interrupted while this command ran; look at "
      "its effects, then send a new request if it must run";
  return failure;
}

Failure interrupted_by_stop() {
  Failure failure;
  failure.code = ErrorCode::kAborted;
  failure.retryable = false;
  failure.message =
      "interrupted; effects unknown: the worker was stopped while this command ran; look at its "
      "effects, then send a new request if it must run";
  return failure;
}

Feedback feedback_of(const Failure& failure) {
  // A destination that is away is not overloaded: it copes as before once it is back.
  if (failure.details.is_object() && failure.details.contains("outage_ms")) {
    return Feedback::kNeutral;
  }
  if (failure.code == ErrorCode::kUnavailable && failure.retry_after_ms) return Feedback::kOverload;
  // What no retry will change (no quota left, an answer too large) says nothing about load.
  if (failure.code != ErrorCode::kResourceExhausted || !failure.is_retryable()) {
    return Feedback::kNeutral;
  }
  const bool is_said_by_peer = failure.retry_after_ms || (failure.details.is_object() &&
                                                          failure.details.contains("http_status"));
  return is_said_by_peer ? Feedback::kOverload : Feedback::kShortage;
}

Duration allowed_time(std::optional<std::int64_t> request_timeout_ms, Duration plan_timeout) {
  const Duration own =
      request_timeout_ms ? Duration(milliseconds(*request_timeout_ms)) : Duration::zero();
  if (own == Duration::zero() || plan_timeout == Duration::zero())
    return std::max(own, plan_timeout);
  return std::min(own, plan_timeout);
}

}  // namespace filecall::worker
