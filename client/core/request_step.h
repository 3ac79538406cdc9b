// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/core/request_machine.h"

namespace filecall::client {

/// One step under construction: the next progress and the actions that lead there. The table of
/// request_machine.cc names one of the rules below for every pair of stage and event.
class RequestStep {
 public:
  RequestStep(const RequestProgress& from, const Event& event, const RetryPolicy& policy,
              WallTime now, Random& random)
      : event_(event), policy_(policy), now_(now), random_(random) {
    out_.next = from;
  }
  Transition take() { return std::move(out_); }

  void ignore() {}
  void begin();             ///< The first attempt.
  void resume();            ///< POLLING: see that the files are as the row says.
  void resume_cancel();     ///< The same while a cancellation is awaited.
  void resume_wait();       ///< WAITING: arm what is left of the wait.
  void resume_given_up();   ///< GAVE_UP: finish an interrupted copy.
  void succeed();           ///< Also late: a success is always taken.
  void fail();              ///< An error response ends the attempt.
  void fail_first();        ///< The same before we began: it was answered already.
  void fail_timed_out();    ///< The response to the time-out's cancellation.
  void fail_cancelled();    ///< The response to a person's cancellation: the end.
  void expire();            ///< Out of time: ask for cancellation.
  void expire_unheard();    ///< No answer to that either.
  void end_unheard();       ///< No answer to a person's cancellation.
  void cancel();            ///< A person asks for cancellation.
  void cancel_unstarted();  ///< Nothing of it is awaited: end at once.
  void note_response();     ///< WAITING: an answer too late to count, but to be deleted.
  void next_attempt();      ///< Delete what was counted, and wait for a new answer.
  void next_if_counted();   ///< Somebody else deleted the response: that asks for an attempt.
  void forget_counted();    ///< Nothing is left to delete.
  void lose_request();      ///< The request was withdrawn.
  void revive();            ///< GAVE_UP -> NEW.
  void mark_copied();       ///< failed/ has it.
  void refuse();            ///< NEW: it is given up unasked.

 private:
  RequestProgress& next() { return out_.next; }
  void act(ActionKind kind) { out_.actions.push_back({.kind = kind, .attempt = next().attempt}); }
  void act(ActionKind kind, const AnswerVersion& version) {
    out_.actions.push_back({.kind = kind, .version = version, .attempt = next().attempt});
  }
  bool is_unreadable() const { return event_.kind == EventKind::kResponseUnreadable; }
  bool is_counted() const {
    return out_.next.counted_response && out_.next.counted_response->is_seen_in(event_.version);
  }
  /// From the progress alone: whether the counted response is one that failed/ can take.
  bool has_copyable_response() const {
    return out_.next.counted_response && out_.next.error_code != ErrorCode::kDataLoss;
  }
  void enter(RequestState state);
  void delete_counted();
  void await_cancellation(CancelMark mark);
  /// Counts the event's response.
  void count_response();
  /// The attempt is over: wait for another one or give up.
  void end_attempt(ErrorCode code, std::string message, bool retryable);
  /// The same for one that does not count when the event asks for a pause. False: it does not.
  bool pause_attempt();
  void wait(ErrorCode code, std::string message, Duration delay);
  void give_up(ErrorCode code, std::string message, bool has_response);

  const Event& event_;
  const RetryPolicy& policy_;
  WallTime now_;
  Random& random_;
  Transition out_;
};

}  // namespace filecall::client
