// SPDX-License-Identifier: MIT
#include "client/core/request_machine.h"

#include <array>

#include "client/core/request_step.h"

namespace filecall::client {
namespace {

using S = RequestStep;
using Rule = void (S::*)();
using Row = std::array<Rule, kEventCount>;

// Each stage has a row, each event a column, in the order of EventKind:
// submit, success, error, unreadable, attempt-timeout, cancel-timeout, backoff-elapsed, user-retry,
// user-cancel, response-vanished, request-vanished, copied, refuse.
constexpr std::array<Row, kStageCount> make_table() {
  return {{
      /* NEW */
      {&S::begin, &S::succeed, &S::fail_first, &S::fail_first, &S::ignore, &S::ignore, &S::ignore,
       &S::ignore, &S::cancel_unstarted, &S::forget_counted, &S::lose_request, &S::ignore,
       &S::refuse},
      /* POLLING */
      {&S::resume, &S::succeed, &S::fail, &S::fail, &S::expire, &S::ignore, &S::ignore, &S::ignore,
       &S::cancel, &S::forget_counted, &S::lose_request, &S::ignore, &S::ignore},
      /* POLLING, timing out */
      {&S::resume_cancel, &S::succeed, &S::fail_timed_out, &S::fail_timed_out, &S::ignore,
       &S::expire_unheard, &S::ignore, &S::ignore, &S::cancel, &S::forget_counted, &S::lose_request,
       &S::ignore, &S::ignore},
      /* POLLING, cancelling */
      {&S::resume_cancel, &S::succeed, &S::fail_cancelled, &S::fail_cancelled, &S::ignore,
       &S::end_unheard, &S::ignore, &S::ignore, &S::ignore, &S::forget_counted, &S::end_unheard,
       &S::ignore, &S::ignore},
      /* WAITING */
      {&S::resume_wait, &S::succeed, &S::note_response, &S::note_response, &S::ignore, &S::ignore,
       &S::next_attempt, &S::next_attempt, &S::cancel_unstarted, &S::next_if_counted,
       &S::lose_request, &S::ignore, &S::ignore},
      /* SUCCESS */
      {&S::ignore, &S::ignore, &S::ignore, &S::ignore, &S::ignore, &S::ignore, &S::ignore,
       &S::ignore, &S::ignore, &S::ignore, &S::ignore, &S::ignore, &S::ignore},
      /* GAVE_UP */
      {&S::resume_given_up, &S::ignore, &S::ignore, &S::ignore, &S::ignore, &S::ignore, &S::ignore,
       &S::revive, &S::ignore, &S::ignore, &S::ignore, &S::mark_copied, &S::ignore},
  }};
}
constexpr auto kTable = make_table();

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
  RequestStep next(progress, event, policy, now, random);
  (next.*kTable.at(static_cast<std::size_t>(stage_of(progress)))
             .at(static_cast<std::size_t>(event.kind)))();
  return next.take();
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

RequestProgress infer_progress(const Response* answer, bool has_failed_copy, WallTime now) {
  RequestProgress progress =
      infer_progress({.has_response = answer != nullptr,
                      .is_success = answer != nullptr && answer->is_success(),
                      .has_failed_copy = has_failed_copy},
                     now);
  if (answer != nullptr && answer->failure) {
    progress.error_code = answer->failure->code;
    progress.error_message = answer->failure->message;
  }
  return progress;
}

Event event_of(const Response& response, const AnswerVersion& version) {
  Event event;
  event.version = version;
  if (response.is_success()) {
    event.kind = EventKind::kResponseSuccess;
    return event;
  }
  event.kind = EventKind::kResponseError;
  event.code = response.failure->code;
  event.message = response.failure->message;
  // An error without the member counts as retryable: the protocol's rule, not the code's table.
  event.retryable = response.failure->retryable.value_or(true);
  if (response.failure->retry_after_ms) {
    event.retry_after = milliseconds(*response.failure->retry_after_ms);
  }
  const Json& details = response.failure->details;
  if (!details.is_object()) return event;
  const auto pause = details.find("pause");
  event.is_pause = pause != details.end() && *pause == true;
  const auto started = details.find("started");
  event.is_given_back = event.is_pause && started != details.end() && *started == false;
  const auto outage = details.find("outage_ms");
  if (outage != details.end() && outage->is_number_integer() && *outage >= 0) {
    event.outage = milliseconds(outage->get<std::int64_t>());
  }
  return event;
}

}  // namespace filecall::client
