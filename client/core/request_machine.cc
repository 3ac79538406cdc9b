// SPDX-License-Identifier: MIT
#include "client/core/request_machine.h"

#include <algorithm>
#include <array>

namespace filecall::client {
namespace {

enum class Rule : std::uint8_t {
  kIgnore,
  kBegin,            // first attempt
  kResume,           // POLLING: see that the files are as the row says
  kResumeCancel,     // the same while a cancellation is awaited
  kResumeWait,       // WAITING: arm what is left of the wait
  kResumeGivenUp,    // GAVE_UP: finish an interrupted copy
  kSucceed,          //
  kFail,             // an error response ends the attempt
  kFailFirst,        // the same before we began: it was answered already
  kFailTimedOut,     // the response to the time-out's cancellation
  kFailCancelled,    // the response to a person's cancellation: the end
  kExpire,           // ask for cancellation
  kExpireUnheard,    // no answer to that either
  kEndUnheard,       // no answer to a person's cancellation
  kCancel,           // a person asks for cancellation
  kCancelUnstarted,  // nothing of it runs: end at once
  kNoteResponse,     // WAITING: an answer too late to count, but to be deleted
  kNextAttempt,      //
  kNextIfSpent,      // somebody else deleted the response: that asks for an attempt
  kForgetSpent,      // nothing is left to delete
  kLoseRequest,      // the request was withdrawn
  kRevive,           // GAVE_UP -> NEW
  kMarkCopied,       //
};

using Row = std::array<Rule, kEventCount>;

// One row a stage, one column an event, in the order of EventKind:
// submit, success, error, unreadable, attempt-timeout, cancel-timeout, backoff-elapsed, user-retry,
// user-cancel, response-vanished, request-vanished, copied.
constexpr std::array<Row, kStageCount> make_table() {
  using enum Rule;
  return {{
      /* NEW */
      {kBegin, kSucceed, kFailFirst, kFailFirst, kIgnore, kIgnore, kIgnore, kIgnore,
       kCancelUnstarted, kForgetSpent, kLoseRequest, kIgnore},
      /* POLLING */
      {kResume, kSucceed, kFail, kFail, kExpire, kIgnore, kIgnore, kIgnore, kCancel, kForgetSpent,
       kLoseRequest, kIgnore},
      /* POLLING, timing out */
      {kResumeCancel, kSucceed, kFailTimedOut, kFailTimedOut, kIgnore, kExpireUnheard, kIgnore,
       kIgnore, kCancel, kForgetSpent, kLoseRequest, kIgnore},
      /* POLLING, cancelling */
      {kResumeCancel, kSucceed, kFailCancelled, kFailCancelled, kIgnore, kEndUnheard, kIgnore,
       kIgnore, kIgnore, kForgetSpent, kEndUnheard, kIgnore},
      /* WAITING */
      {kResumeWait, kSucceed, kNoteResponse, kNoteResponse, kIgnore, kIgnore, kNextAttempt,
       kNextAttempt, kCancelUnstarted, kNextIfSpent, kLoseRequest, kIgnore},
      /* SUCCESS */
      {kIgnore, kIgnore, kIgnore, kIgnore, kIgnore, kIgnore, kIgnore, kIgnore, kIgnore, kIgnore,
       kIgnore, kIgnore},
      /* GAVE_UP */
      {kResumeGivenUp, kIgnore, kIgnore, kIgnore, kIgnore, kIgnore, kIgnore, kRevive, kIgnore,
       kIgnore, kIgnore, kMarkCopied},
  }};
}
constexpr auto kTable = make_table();

// One step under construction: the next progress and the actions that lead there.
class Step {
 public:
  Step(const RequestProgress& from, const Event& event, const RetryPolicy& policy, WallTime now,
       Random& random)
      : event_(event), policy_(policy), now_(now), random_(random) {
    out_.next = from;
  }

  Transition apply(Rule rule);

 private:
  RequestProgress& next() { return out_.next; }
  void act(ActionKind kind) { out_.actions.push_back({.kind = kind, .attempt = next().attempt}); }
  void act(ActionKind kind, const ResponseVersion& version) {
    out_.actions.push_back({.kind = kind, .version = version, .attempt = next().attempt});
  }
  bool is_unreadable() const { return event_.kind == EventKind::kResponseUnreadable; }
  bool is_counted() const { return out_.next.spent == event_.version; }
  /// From the progress alone: whether the counted response is one that failed/ can take.
  bool has_copyable_response() const {
    return out_.next.spent && out_.next.error_code != ErrorCode::kDataLoss;
  }
  void enter(RequestState state);
  void delete_spent();
  void begin();
  void resume();
  void resume_cancel();
  void resume_wait();
  void succeed();
  void fail();
  void fail_timed_out();
  void fail_cancelled();
  void expire(CancelMark mark);
  void note_response();
  void next_attempt();
  void cancel_unstarted();
  void revive();
  /// The attempt is over: wait for another one or give up.
  void end_attempt(ErrorCode code, std::string message, bool retryable);
  void give_up(ErrorCode code, std::string message, bool has_copyable_response);

  const Event& event_;
  const RetryPolicy& policy_;
  WallTime now_;
  Random& random_;
  Transition out_;
};

void Step::enter(RequestState state) {
  next().state = state;
  next().changed_at = now_;
  out_.is_changed = true;
}

void Step::delete_spent() {
  if (next().spent) act(ActionKind::kDeleteResponse, *next().spent);
}

void Step::begin() {
  next().attempt = 1;
  enter(RequestState::kPolling);
  if (next().spent) act(ActionKind::kRemoveFailedCopy);
  delete_spent();
  act(ActionKind::kDropRequest);
  act(ActionKind::kArmAttemptTimeout);
}

void Step::resume() {
  delete_spent();
  act(ActionKind::kDropRequest);
  act(ActionKind::kArmAttemptTimeout);
}

void Step::resume_cancel() {
  delete_spent();
  act(ActionKind::kSendCancel);
  act(ActionKind::kArmCancelTimeout);
}

void Step::resume_wait() {
  // Never longer than the wait was meant to be, however the wall clock jumped meanwhile.
  const Duration meant = std::max(next().due_at - next().changed_at, Duration::zero());
  const Duration left = std::clamp(next().due_at - now_, Duration::zero(), meant);
  out_.actions.push_back(
      {.kind = ActionKind::kArmBackoff, .attempt = next().attempt, .delay = left});
}

void Step::succeed() {
  next().attempt = std::max(next().attempt, 1);
  next().cancel = CancelMark::kNone;
  next().spent.reset();
  next().error_code.reset();
  next().error_message.clear();
  enter(RequestState::kSuccess);
}

void Step::fail() {
  if (is_counted()) return act(ActionKind::kDeleteResponse, event_.version);
  if (next().cancel == CancelMark::kLate && event_.code == ErrorCode::kCancelled) {
    // The previous attempt's cancellation arrived after all: it says nothing of this attempt.
    next().cancel = CancelMark::kNone;
    next().spent = event_.version;
    enter(next().state);
    return act(ActionKind::kDeleteResponse, event_.version);
  }
  next().cancel = CancelMark::kNone;
  next().spent = event_.version;
  if (is_unreadable()) act(ActionKind::kSetAsideResponse, event_.version);
  end_attempt(event_.code, event_.message, event_.retryable);
}

void Step::fail_timed_out() {
  if (is_counted()) return act(ActionKind::kDeleteResponse, event_.version);
  next().cancel = CancelMark::kNone;
  next().spent = event_.version;
  if (is_unreadable()) act(ActionKind::kSetAsideResponse, event_.version);
  if (event_.code == ErrorCode::kCancelled || is_unreadable()) {
    end_attempt(ErrorCode::kDeadlineExceeded, "no response in time; the attempt was cancelled",
                true);
  } else {
    end_attempt(event_.code, event_.message, event_.retryable);
  }
}

void Step::fail_cancelled() {
  if (is_counted()) return act(ActionKind::kDeleteResponse, event_.version);
  next().spent = event_.version;
  if (is_unreadable()) act(ActionKind::kSetAsideResponse, event_.version);
  give_up(event_.code, event_.message, !is_unreadable());
}

void Step::expire(CancelMark mark) {
  const bool was_sent = next().cancel == CancelMark::kTimeout;
  next().cancel = mark;
  enter(RequestState::kPolling);
  if (!was_sent) act(ActionKind::kSendCancel);
  act(ActionKind::kArmCancelTimeout);
}

void Step::note_response() {
  if (is_counted()) return;
  next().cancel = CancelMark::kNone;
  next().spent = event_.version;
  enter(RequestState::kWaiting);
  if (is_unreadable()) act(ActionKind::kSetAsideResponse, event_.version);
}

void Step::next_attempt() {
  if (next().attempt >= policy_.attempts_max) {
    // The policy was narrowed between two runs.
    return give_up(next().error_code.value_or(ErrorCode::kUnknown), next().error_message,
                   has_copyable_response());
  }
  ++next().attempt;
  next().due_at = {};
  enter(RequestState::kPolling);
  delete_spent();
  act(ActionKind::kArmAttemptTimeout);
}

void Step::cancel_unstarted() {
  const bool has_response = next().state == RequestState::kWaiting && has_copyable_response();
  // Without a response the request is pending for the worker, perhaps even executing.
  if (!has_response) act(ActionKind::kSendCancel);
  give_up(ErrorCode::kCancelled, "cancelled before it was answered", has_response);
}

void Step::revive() {
  next().attempt = 0;
  next().copied = false;
  next().due_at = {};
  if (next().cancel != CancelMark::kLate) next().cancel = CancelMark::kNone;
  enter(RequestState::kNew);
  act(ActionKind::kRemoveFailedCopy);
  delete_spent();
}

void Step::end_attempt(ErrorCode code, std::string message, bool retryable) {
  const bool has_response =
      next().spent.has_value() && !is_unreadable() && event_.kind != EventKind::kCancelTimeout;
  if (!retryable || next().attempt >= policy_.attempts_max) {
    return give_up(code, std::move(message), has_response);
  }
  next().error_code = code;
  next().error_message = std::move(message);
  const Duration wait = policy_.backoff(next().attempt, event_.retry_after, random_);
  next().due_at = now_ + wait;
  enter(RequestState::kWaiting);
  out_.actions.push_back(
      {.kind = ActionKind::kArmBackoff, .attempt = next().attempt, .delay = wait});
}

void Step::give_up(ErrorCode code, std::string message, bool has_copyable_response) {
  next().error_code = code;
  next().error_message = std::move(message);
  next().copied = false;
  next().due_at = {};
  if (next().cancel != CancelMark::kLate) next().cancel = CancelMark::kNone;
  enter(RequestState::kGaveUp);
  act(has_copyable_response ? ActionKind::kCopyResponse : ActionKind::kWriteOwnFailure);
}

Transition Step::apply(Rule rule) {
  switch (rule) {
    case Rule::kIgnore:
      break;
    case Rule::kBegin:
      begin();
      break;
    case Rule::kResume:
      resume();
      break;
    case Rule::kResumeCancel:
      resume_cancel();
      break;
    case Rule::kResumeWait:
      resume_wait();
      break;
    case Rule::kResumeGivenUp:
      if (!next().copied) {
        act(has_copyable_response() ? ActionKind::kCopyResponse : ActionKind::kWriteOwnFailure);
      }
      break;
    case Rule::kSucceed:
      succeed();
      break;
    case Rule::kFailFirst:
      if (!is_counted()) next().attempt = 1;
      fail();
      break;
    case Rule::kFail:
      fail();
      break;
    case Rule::kFailTimedOut:
      fail_timed_out();
      break;
    case Rule::kFailCancelled:
      fail_cancelled();
      break;
    case Rule::kExpire:
      expire(CancelMark::kTimeout);
      break;
    case Rule::kExpireUnheard:
      next().cancel = CancelMark::kLate;
      next().spent.reset();
      end_attempt(ErrorCode::kDeadlineExceeded, "no response in time, nor to the cancellation",
                  true);
      break;
    case Rule::kEndUnheard:
      next().spent.reset();
      next().cancel = CancelMark::kLate;
      give_up(ErrorCode::kCancelled, "cancelled; the worker did not answer", false);
      break;
    case Rule::kCancel:
      expire(CancelMark::kUser);
      break;
    case Rule::kCancelUnstarted:
      cancel_unstarted();
      break;
    case Rule::kNoteResponse:
      note_response();
      break;
    case Rule::kNextIfSpent:
      if (!next().spent) break;
      next().spent.reset();
      [[fallthrough]];
    case Rule::kNextAttempt:
      next_attempt();
      break;
    case Rule::kForgetSpent:
      if (next().spent) {
        next().spent.reset();
        enter(next().state);
      }
      break;
    case Rule::kLoseRequest:
      if (next().state != RequestState::kWaiting) next().spent.reset();
      give_up(ErrorCode::kNotFound, "request: its file was removed; drop it again",
              has_copyable_response());
      break;
    case Rule::kRevive:
      revive();
      break;
    case Rule::kMarkCopied:
      if (!next().copied) {
        next().copied = true;
        out_.is_changed = true;
      }
      break;
  }
  return std::move(out_);
}

}  // namespace

Stage stage_of(const RequestProgress& progress) {
  switch (progress.state) {
    case RequestState::kNew:
      return Stage::kNew;
    case RequestState::kPolling:
      if (progress.cancel == CancelMark::kTimeout) return Stage::kTimingOut;
      if (progress.cancel == CancelMark::kUser) return Stage::kCancelling;
      return Stage::kPolling;
    case RequestState::kWaiting:
      return Stage::kWaiting;
    case RequestState::kSuccess:
      return Stage::kSuccess;
    case RequestState::kGaveUp:
      return Stage::kGaveUp;
  }
  return Stage::kNew;
}

Transition step(const RequestProgress& progress, const Event& event, const RetryPolicy& policy,
                WallTime now, Random& random) {
  const Rule rule =
      kTable[static_cast<std::size_t>(stage_of(progress))][static_cast<std::size_t>(event.kind)];
  return Step(progress, event, policy, now, random).apply(rule);
}

RequestProgress infer_progress(const FileEvidence& files, WallTime now) {
  RequestProgress progress;
  progress.attempt = 1;
  progress.changed_at = now;
  if (files.has_response && files.is_success) {
    progress.state = RequestState::kSuccess;
  } else if (files.has_failed_copy) {
    progress.state = RequestState::kGaveUp;
    progress.copied = true;
  } else {
    progress.state = RequestState::kPolling;
  }
  return progress;
}

}  // namespace filecall::client
