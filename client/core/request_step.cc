// SPDX-License-Identifier: MIT
#include "client/core/request_step.h"

#include <algorithm>
#include <utility>

namespace filecall::client {

void RequestStep::enter(RequestState state) {
  next().state = state;
  next().changed_at = now_;
  out_.is_changed = true;
}

void RequestStep::delete_counted() {
  if (next().counted_response) act(ActionKind::kDeleteResponse, *next().counted_response);
}

void RequestStep::count_response() {
  next().counted_response = event_.version;
  if (is_unreadable()) act(ActionKind::kSetAsideResponse, event_.version);
}

void RequestStep::begin() {
  next().attempt = 1;
  enter(RequestState::kPolling);
  delete_counted();
  act(ActionKind::kDropRequest);
  act(ActionKind::kArmAttemptTimeout);
}

void RequestStep::resume() {
  delete_counted();
  act(ActionKind::kDropRequest);
  act(ActionKind::kArmAttemptTimeout);
}

void RequestStep::resume_cancel() {
  delete_counted();
  act(ActionKind::kSendCancel);
  act(ActionKind::kArmCancelTimeout);
}

void RequestStep::resume_wait() {
  // Never longer than the wait was meant to be, however the wall clock jumped meanwhile.
  const Duration meant = std::max(next().due_at - next().changed_at, Duration::zero());
  const Duration left = std::clamp(next().due_at - now_, Duration::zero(), meant);
  out_.actions.push_back(
      {.kind = ActionKind::kArmBackoff, .attempt = next().attempt, .delay = left});
}

void RequestStep::resume_given_up() {
  if (next().copied) return;
  act(has_copyable_response() ? ActionKind::kCopyResponse : ActionKind::kWriteOwnFailure);
}

void RequestStep::succeed() {
  next().attempt = std::max(next().attempt, 1);
  next().cancel = CancelMark::kNone;
  next().counted_response.reset();
  next().error_code.reset();
  next().error_message.clear();
  if (next().copied) act(ActionKind::kRemoveFailedCopy);
  next().copied = false;
  enter(RequestState::kSuccess);
}

void RequestStep::fail() {
  if (is_counted()) return act(ActionKind::kDeleteResponse, event_.version);
  if (next().cancel == CancelMark::kLate && event_.code == ErrorCode::kCancelled) {
    // The previous attempt's cancellation arrived after all: it says nothing of this attempt.
    next().cancel = CancelMark::kNone;
    next().counted_response = event_.version;
    enter(next().state);
    return act(ActionKind::kDeleteResponse, event_.version);
  }
  next().cancel = CancelMark::kNone;
  count_response();
  if (pause_attempt()) return;
  end_attempt(event_.code, event_.message, event_.retryable);
}

void RequestStep::fail_first() {
  if (!is_counted()) next().attempt = 1;
  fail();
}

void RequestStep::fail_timed_out() {
  if (is_counted()) return act(ActionKind::kDeleteResponse, event_.version);
  next().cancel = CancelMark::kNone;
  count_response();
  if (event_.code == ErrorCode::kCancelled || is_unreadable()) {
    end_attempt(ErrorCode::kDeadlineExceeded, "no response in time; the attempt was cancelled",
                true);
  } else {
    end_attempt(event_.code, event_.message, event_.retryable);
  }
}

void RequestStep::fail_cancelled() {
  if (is_counted()) return act(ActionKind::kDeleteResponse, event_.version);
  count_response();
  give_up(event_.code, event_.message, !is_unreadable());
}

void RequestStep::await_cancellation(CancelMark mark) {
  const bool was_sent = next().cancel == CancelMark::kTimeout;
  next().cancel = mark;
  enter(RequestState::kPolling);
  if (!was_sent) act(ActionKind::kSendCancel);
  act(ActionKind::kArmCancelTimeout);
}

void RequestStep::expire() { await_cancellation(CancelMark::kTimeout); }
void RequestStep::cancel() { await_cancellation(CancelMark::kUser); }

void RequestStep::expire_unheard() {
  next().cancel = CancelMark::kLate;
  next().counted_response.reset();
  end_attempt(ErrorCode::kDeadlineExceeded, "no response in time, nor to the cancellation", true);
}

void RequestStep::end_unheard() {
  next().cancel = CancelMark::kLate;
  next().counted_response.reset();
  give_up(ErrorCode::kCancelled, "cancelled; the worker did not answer", false);
}

void RequestStep::note_response() {
  if (is_counted()) return;
  next().cancel = CancelMark::kNone;
  enter(RequestState::kWaiting);
  count_response();
}

void RequestStep::next_attempt() {
  if (next().counted_attempts() >= policy_.attempts_max) {
    // The policy was narrowed between two runs.
    return give_up(next().error_code.value_or(ErrorCode::kUnknown), next().error_message,
                   has_copyable_response());
  }
  ++next().attempt;
  next().due_at = {};
  enter(RequestState::kPolling);
  delete_counted();
  act(ActionKind::kArmAttemptTimeout);
}

void RequestStep::next_if_counted() {
  if (!next().counted_response) return;
  next().counted_response.reset();
  next_attempt();
}

void RequestStep::forget_counted() {
  if (!next().counted_response) return;
  next().counted_response.reset();
  enter(next().state);
}

void RequestStep::lose_request() {
  if (next().state != RequestState::kWaiting) next().counted_response.reset();
  give_up(ErrorCode::kNotFound, "request: its file was removed; drop it again",
          has_copyable_response());
}

void RequestStep::mark_copied() {
  if (next().copied) return;
  next().copied = true;
  out_.is_changed = true;
}

void RequestStep::cancel_unstarted() {
  const bool has_response = next().state == RequestState::kWaiting && has_copyable_response();
  // Without a response the request is pending for the worker, perhaps even executing.
  if (!has_response) act(ActionKind::kSendCancel);
  give_up(ErrorCode::kCancelled, "cancelled before it was answered", has_response);
}

void RequestStep::refuse() { give_up(event_.code, event_.message, false); }

void RequestStep::revive() {
  next().attempt = 0;
  next().pauses = 0;
  next().given_back = 0;
  next().paused = {};
  next().due_at = {};
  if (next().cancel != CancelMark::kLate) next().cancel = CancelMark::kNone;
  // Its error, and the copy in failed/, are the outcome until there is another one.
  enter(RequestState::kNew);
  delete_counted();
}

void RequestStep::end_attempt(ErrorCode code, std::string message, bool retryable) {
  const bool has_response = next().counted_response.has_value() && !is_unreadable() &&
                            event_.kind != EventKind::kCancelTimeout;
  if (!retryable || next().counted_attempts() >= policy_.attempts_max) {
    return give_up(code, std::move(message), has_response);
  }
  wait(code, std::move(message),
       policy_.backoff(next().counted_attempts(), event_.retry_after, random_));
}

bool RequestStep::pause_attempt() {
  if (event_.kind != EventKind::kResponseError || !event_.retryable) return false;
  if (event_.is_given_back) ++next().given_back;
  const auto delay =
      policy_.pause({event_.code, event_.retry_after, event_.is_pause, event_.outage},
                    next().pauses, next().paused, random_);
  if (!delay) return false;
  ++next().pauses;
  next().paused += RetryPolicy::pause_charge(*delay);
  wait(event_.code, event_.message, *delay);
  return true;
}

void RequestStep::wait(ErrorCode code, std::string message, Duration delay) {
  next().error_code = code;
  next().error_message = std::move(message);
  next().due_at = now_ + delay;
  enter(RequestState::kWaiting);
  out_.actions.push_back(
      {.kind = ActionKind::kArmBackoff, .attempt = next().attempt, .delay = delay});
}

void RequestStep::give_up(ErrorCode code, std::string message, bool has_response) {
  next().error_code = code;
  next().error_message = std::move(message);
  next().copied = false;
  next().due_at = {};
  if (next().cancel != CancelMark::kLate) next().cancel = CancelMark::kNone;
  enter(RequestState::kGaveUp);
  act(has_response ? ActionKind::kCopyResponse : ActionKind::kWriteOwnFailure);
}

}  // namespace filecall::client
