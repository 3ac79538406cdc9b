// SPDX-License-Identifier: MIT
#include "client/engine/pilot.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/core/cache_identity.h"
#include "client/core/paused_time.h"
#include "client/core/same_request.h"
#include "ipc/limits.h"
#include "ipc/response.h"

namespace filecall::client {
namespace {

/// When an attempt that its run holds back is looked at again.
constexpr Duration kHeldAgain = milliseconds(200);
/// The same for one whose time is over while something is paused.
constexpr Duration kPausedAgain = seconds(1);

bool is_timer(ActionKind kind) {
  return kind == ActionKind::kArmAttemptTimeout || kind == ActionKind::kArmCancelTimeout ||
         kind == ActionKind::kArmBackoff;
}

bool awaits_drop(const Flight& flight) {
  return std::any_of(flight.actions.begin(), flight.actions.end(),
                     [](const Action& a) { return a.kind == ActionKind::kDropRequest; });
}

/// Whether a call was sent, and somebody ended it before its reply was there.
bool is_ended_call(const Response& response) {
  if (!response.failure || response.failure->code != ErrorCode::kCancelled) return false;
  const Json& details = response.failure->details;
  return details.is_object() && details.value("ambiguous", Json(false)) == true;
}

std::size_t slot_of(TimerKind kind) { return static_cast<std::size_t>(kind); }

}  // namespace

void Pilot::begin(Flight& flight) {
  flight.is_held = false;
  const Stage stage = stage_of(flight.progress());
  apply(flight, {.kind = EventKind::kSubmit});
  // NEW and POLLING are looked at when their request is known to be there.
  if (stage != Stage::kNew && stage != Stage::kPolling) look(flight);
}

bool Pilot::apply(Flight& flight, const Event& event) {
  RequestRow& row = flight.task.row;
  const RequestState before = row.progress.state;
  const WallTime now = options_.wall_clock();
  Transition transition = step(row.progress, event, flight.retry, now, random_);
  if (transition.is_changed) {
    const int begun_before = row.progress.begun_attempts();
    const bool is_given_back = transition.next.given_back > row.progress.given_back;
    row.progress = std::move(transition.next);
    const RequestState after = row.progress.state;
    // Not when it begins to wait for the next attempt: the run may be stopped before that one.
    const int begun = row.progress.begun_attempts();
    if (begun > begun_before && begun > 1) ++flight.run->retries;
    if (is_given_back && begun_before > 1 && flight.run->retries > 0) --flight.run->retries;
    if (after == RequestState::kWaiting && before != after) ++flight.run->waiting;
    if (before == RequestState::kWaiting && before != after) --flight.run->waiting;
    if (!is_final(after)) {
      row.finished_at.reset();
    } else if (!row.finished_at) {
      row.finished_at = now;
      row.owner.clear();
      flight.is_copy_missing = after == RequestState::kGaveUp;
      timers_.forget(flight);
    }
    flight.is_dirty = true;
  }
  for (const Action& action : transition.actions) {
    // Its successor is armed when the step is durable; until then nothing is due.
    if (is_timer(action.kind)) stop_step_timer(flight);
    flight.actions.push_back(action);
  }
  if (flight.is_dirty || !flight.actions.empty()) touch(flight);
  return transition.is_changed;
}

bool Pilot::refuse(Flight& flight) {
  // Its worker may have run it, or be at it.
  if (channel_.has_request(flight.id())) return false;
  Event event{.kind = EventKind::kRefuse};
  event.code = ErrorCode::kFailedPrecondition;
  event.message = flight.refusal;
  return apply(flight, event);
}

void Pilot::stop_step_timer(Flight& flight) {
  timers_.disarm(flight, TimerKind::kStep);
  // What ran out while the desk had it was the earlier stage's: it says nothing of this one.
  flight.is_due.at(slot_of(TimerKind::kStep)) = false;
}

void Pilot::look(Flight& flight) {
  if (flight.is_followed || flight.is_held || flight.is_rejected ||
      is_final(flight.progress().state)) {
    return;
  }
  // Before the claim is granted, and the request known to be there, an answer says nothing.
  if (flight.is_at_desk || flight.task.is_claim || awaits_drop(flight)) {
    flight.wants_look = true;
    return;
  }
  auto answer = channel_.read_answer(flight.id());
  if (!answer) return notice(fmt::format("response {}: {}", flight.id(), answer.error().message));
  heed(flight, std::move(*answer));
}

void Pilot::heed(Flight& flight, std::optional<ChannelAnswer> answer) {
  if (!answer) {
    flight.unreadable.reset();
    if (flight.progress().state == RequestState::kWaiting) {
      apply(flight, {.kind = EventKind::kResponseVanished});
    }
    return;
  }
  if (!answer->response) return heed_unreadable(flight, answer->version, answer->response.error());
  heed_response(flight, std::move(*answer->response), answer->version);
}

void Pilot::heed_response(Flight& flight, Response response, const AnswerVersion& version) {
  flight.unreadable.reset();
  timers_.disarm(flight, TimerKind::kSettle);
  if (response.timing) {
    flight.task.row.queued_ms = response.timing->queued_ms;
    flight.task.row.run_ms = response.timing->run_ms;
  }
  // A response is counted by the change that it makes, which happens once and is durable with it.
  if (!apply(flight, event_of(response, version))) return;
  if (is_ended_call(response)) ++flight.run->maybe_billed;
  const Spend spend = spend_of(response, options_.prices);
  flight.task.row.spend += spend;
  flight.uncounted += spend;
  if (!is_final(flight.progress().state)) return;
  flight.response = std::make_shared<const Response>(std::move(response));
  if (!flight.cache_identity.empty() && flight.response->is_success() &&
      is_cacheable_answer(flight.response->data)) {
    cache_entries_.push_back({flight.cache_identity, flight.response});
  }
}

void Pilot::heed_unreadable(Flight& flight, const AnswerVersion& version, const Error& error) {
  // Another implementation may write in place: only what stays as it is counts.
  if (flight.unreadable != version) {
    flight.unreadable = version;
    timers_.arm(flight, TimerKind::kSettle, now_ + limits::kSettle);
    return;
  }
  if (flight.armed.at(slot_of(TimerKind::kSettle))) return;  // Not yet stable.
  Event event;
  event.kind = EventKind::kResponseUnreadable;
  event.version = version;
  event.code = ErrorCode::kDataLoss;
  event.message = fmt::format("response: not readable: {}", error.message);
  apply(flight, event);
}

void Pilot::reject(Flight& flight) {
  flight.is_rejected = true;
  flight.actions.clear();
  flight.task.row.owner.clear();
  timers_.forget(flight);
  touch(flight);
}

void Pilot::reconcile(Flight& flight) {
  if (!channel_.is_own_request(flight.id())) return reject(flight);
  if (!flight.task.bytes.empty()) {
    const auto text = channel_.read_request(flight.id());
    if (text && *text && !is_same_request(**text, flight.task.bytes)) return reject(flight);
    flight.task.bytes = std::string();
  }
  if (flight.task.is_new) return infer(flight);
  look(flight);
}

bool Pilot::price_again(RequestRow& row) const {
  if (row.spend.unpriced == 0 || options_.prices.empty()) return false;
  const Spend counted = row.spend;
  const auto answer = channel_.read_answer(row.request_id);
  if (is_final(row.progress.state) && answer && *answer && (*answer)->response) {
    row.spend = priced_again(counted, *(*answer)->response, options_.prices);
  } else if (const auto failed = channel_.read_failed(row.request_id)) {  // It is retried.
    row.spend = priced_again(counted, *failed, options_.prices);
  }
  return row.spend != counted;
}

// No row says how far it got, so the files do.
void Pilot::infer(Flight& flight) {
  RequestRow& row = flight.task.row;
  auto answer = channel_.read_answer(row.request_id);
  if (!answer)
    return notice(fmt::format("response {}: {}", row.request_id, answer.error().message));
  const Response* response = *answer && (*answer)->response ? &*(*answer)->response : nullptr;
  const bool is_success = response != nullptr && response->is_success();
  const bool has_failed = !is_success && channel_.has_failed(row.request_id);
  const WallTime now = options_.wall_clock();
  const RequestProgress inferred = infer_progress(response, has_failed, now);
  if (!is_final(inferred.state)) return heed(flight, std::move(*answer));
  if (is_success) {
    row.spend = spend_of(*response, options_.prices);
    flight.run->spend_earlier += row.spend;
    flight.response = std::make_shared<const Response>(std::move(*(*answer)->response));
  }
  row.progress.state = inferred.state;
  row.progress.copied = inferred.copied;
  row.progress.error_code = inferred.error_code;
  row.progress.error_message = inferred.error_message;
  row.finished_at = now;
  row.owner.clear();
  flight.is_from_earlier = true;
  flight.is_dirty = true;
  timers_.forget(flight);
  touch(flight);
}

void Pilot::cancel(Flight& flight) {
  if (flight.is_followed || flight.is_rejected) return;
  if (flight.is_at_desk || flight.task.is_claim) {
    flight.wants_cancel = true;
    return;
  }
  flight.is_held = false;
  apply(flight, {.kind = EventKind::kUserCancel});
}

void Pilot::withdraw(Flight& flight, CancelWish wish) {
  if (flight.is_followed || flight.is_rejected) return;
  if (flight.is_at_desk || flight.task.is_claim) {
    flight.wants_withdrawal = wish;
    return;
  }
  if (stage_of(flight.progress()) != Stage::kPolling) return;
  flight.actions.push_back(
      {.kind = ActionKind::kSendCancel, .attempt = flight.progress().attempt, .wish = wish});
  flight.is_dirty = true;
  touch(flight);
}

void Pilot::take_timers() {
  while (const auto due = timers_.take_due(now_)) {
    if (due->flight->is_at_desk) {
      due->flight->is_due.at(slot_of(due->kind)) = true;
    } else {
      on_timer(*due->flight, due->kind);
    }
  }
}

void Pilot::take_due(Flight& flight) {
  for (const TimerKind kind : {TimerKind::kSettle, TimerKind::kStep}) {
    if (std::exchange(flight.is_due.at(slot_of(kind)), false)) on_timer(flight, kind);
  }
}

void Pilot::on_timer(Flight& flight, TimerKind kind) {
  if (kind == TimerKind::kSettle) return look(flight);
  switch (stage_of(flight.progress())) {
    case Stage::kPolling:
      on_attempt_time(flight);
      break;
    case Stage::kTimingOut:
    case Stage::kCancelling:
      apply(flight, {.kind = EventKind::kCancelTimeout});
      break;
    case Stage::kWaiting:
      if (flight.run->is_stopping) break;
      if (flight.run->holds_retries) {
        arm(flight, kHeldAgain);
        break;
      }
      apply(flight, {.kind = EventKind::kBackoffElapsed});
      break;
    case Stage::kNew:
    case Stage::kSuccess:
    case Stage::kGaveUp:
      break;
  }
}

void Pilot::on_attempt_time(Flight& flight) {
  // An answer whose event was lost is still an answer.
  look(flight);
  if (stage_of(flight.progress()) != Stage::kPolling) return;
  if (!channel_.has_request(flight.id())) {
    apply(flight, {.kind = EventKind::kRequestVanished});
    return;
  }
  const bool needs_start = is_paused_ || flight.was_spared;
  const bool has_begun = needs_start && channel_.begun_at(flight.id()).has_value();
  switch (judge_overdue({is_paused_, has_begun, flight.was_spared})) {
    case TimeVerdict::kWaitsOn:
      arm(flight, kPausedAgain);
      flight.was_spared = true;
      break;
    case TimeVerdict::kBeginsAgain:
      arm(flight, flight.attempt_timeout);
      break;
    case TimeVerdict::kExpires:
      apply(flight, {.kind = EventKind::kAttemptTimeout});
      break;
  }
}

void Pilot::arm_for(Flight& flight, const Action& action) {
  switch (action.kind) {
    case ActionKind::kArmAttemptTimeout:
      if (stage_of(flight.progress()) != Stage::kPolling) return;
      if (is_open_) return arm(flight, flight.attempt_timeout);
      flight.is_unarmed = true;
      return;
    case ActionKind::kArmCancelTimeout:
      return arm(flight, options_.cancel_patience);
    case ActionKind::kArmBackoff:
      return arm(flight, action.delay);
    default:
      return;
  }
}

void Pilot::arm(Flight& flight, Duration delay) {
  flight.is_unarmed = false;
  flight.was_spared = false;
  if (is_final(flight.progress().state)) return;
  const Deadline deadline = Deadline::after(now_, delay);
  if (deadline.is_never()) {
    timers_.disarm(flight, TimerKind::kStep);
  } else {
    timers_.arm(flight, TimerKind::kStep, deadline.when());
  }
}

void Pilot::heed_gate(Flight& flight) {
  if (is_open_ && flight.is_unarmed) return arm(flight, flight.attempt_timeout);
  if (is_open_ || stage_of(flight.progress()) != Stage::kPolling) return;
  // The attempt's time begins again with the next worker: this one cannot answer any more.
  stop_step_timer(flight);
  flight.is_unarmed = true;
}

void Pilot::restart_time(Flight& flight, WallTime unchanged_at) {
  if (flight.is_followed || stage_of(flight.progress()) != Stage::kPolling) return;
  const std::size_t slot = slot_of(TimerKind::kStep);
  if (!flight.armed.at(slot) && !flight.is_due.at(slot)) return;
  // What waited longer than its time was held back, whenever it began.
  const bool was_held =
      flight.was_spared || begins_again(channel_.begun_at(flight.id()), unchanged_at);
  if (!was_held) return;
  flight.is_due.at(slot) = false;
  arm(flight, flight.attempt_timeout);
}

void Pilot::touch(Flight& flight) {
  if (flight.is_listed) return;
  flight.is_listed = true;
  listed_.push_back(&flight);
}

void Pilot::forget(Flight& flight) {
  if (flight.is_listed) std::erase(listed_, &flight);
  timers_.forget(flight);
}

}  // namespace filecall::client
