// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>

#include "client/core/same_request.h"
#include "client/engine/session.h"
#include "ipc/limits.h"
#include "ipc/response.h"
#include "os/clock.h"
#include "spool/drop.h"

namespace filecall::client {
namespace {

Event response_event(const Response& response, const ResponseVersion& version) {
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
  return event;
}

}  // namespace

RequestOutcome outcome_of(const RequestRow& row, bool is_from_earlier) {
  RequestOutcome outcome;
  outcome.request_id = row.request_id;
  outcome.command = row.command;
  outcome.state = row.progress.state;
  outcome.attempts = row.progress.attempt;
  outcome.error_code = row.progress.error_code;
  outcome.error_message = row.progress.error_message;
  outcome.submitted_at = row.submitted_at;
  outcome.finished_at = row.finished_at.value_or(row.progress.changed_at);
  outcome.latency_ms = std::max<std::int64_t>(0, to_ms(outcome.finished_at - outcome.submitted_at));
  outcome.queued_ms = row.queued_ms;
  outcome.run_ms = row.run_ms;
  outcome.spend = row.spend;
  outcome.from_earlier_run = is_from_earlier;
  return outcome;
}

Flight& Session::insert(RequestRow row) {
  auto owned = std::make_unique<Flight>();
  Flight& flight = *owned;
  flight.row = std::move(row);
  flights_.emplace(flight.row.request_id, std::move(owned));
  return flight;
}

Result<void> Session::adopt(Submission submission) {
  if (flights_.contains(submission.request_id)) return {};
  TRY(begin_transaction());
  RequestRow fresh;
  fresh.request_id = std::move(submission.request_id);
  fresh.command = std::move(submission.command);
  fresh.owner = owner_.name();
  fresh.batch = options_.batch;
  if (!submission.bytes.empty()) fresh.content_hash = hash128(submission.bytes).hex();
  fresh.submitted_at = wall_now();
  fresh.progress.changed_at = fresh.submitted_at;
  const auto is_alive = [this](std::string_view owner) {
    const auto [known, is_new] = owner_liveness_.try_emplace(std::string(owner), false);
    if (is_new) known->second = owner_.is_alive(owner);
    return known->second;
  };
  TRY_ASSIGN(Claim claim, store_.claim(fresh, is_alive));
  if (!is_same_content(claim.row, fresh, submission.bytes)) {
    reject(fresh, "the id was used before for another request; choose another id");
    return {};
  }
  if (claim.kind == Claim::Kind::kFinal || claim.kind == Claim::Kind::kCollected) {
    ++progress_.by_state.at(static_cast<std::size_t>(claim.row.progress.state));
    count_earlier(claim.row);
    observer_.on_outcome(outcome_of(claim.row, true));
    return {};
  }
  Flight& flight = insert(std::move(claim.row));
  flight.bytes = std::move(submission.bytes);
  flight.is_new = claim.is_new;
  flight.is_followed = claim.kind == Claim::Kind::kForeign;
  if (flight.is_followed) return {};
  if (flight.row.content_hash.empty()) flight.row.content_hash = fresh.content_hash;
  flight.is_dirty = true;
  touch(flight);
  if (!flight.is_new) count_earlier(flight.row);
  ++progress_.submitted;
  TRY_ASSIGN(const bool is_answered, answer_from_cache(flight));
  if (is_answered) return {};
  if (flight.row.progress.state == RequestState::kWaiting) ++waiting_;
  flight.is_copy_missing = flight.row.progress.state == RequestState::kGaveUp;
  // What was given up needs no worker, only its copy.
  if (gate_ == WorkerKeeper::Gate::kOpen || flight.is_copy_missing) {
    begin(flight);
  } else {
    flight.is_held = true;
  }
  return {};
}

bool Session::is_same_content(const RequestRow& stored, const RequestRow& fresh,
                              std::string_view bytes) const {
  if (stored.content_hash.empty() || fresh.content_hash.empty()) return true;
  if (stored.content_hash == fresh.content_hash) return true;
  const auto file = spool::read_request_file(*root_.directories(), fresh.request_id);
  return file && *file && is_same_request((*file)->bytes, bytes);
}

void Session::begin(Flight& flight) {
  flight.is_held = false;
  const Stage stage = stage_of(flight.row.progress);
  apply(flight, {.kind = EventKind::kSubmit});
  // NEW and POLLING are looked at when their request file is known to be there.
  if (stage != Stage::kNew && stage != Stage::kPolling) look(flight);
}

Result<void> Session::follow() {
  std::vector<std::string> followed;
  for (const auto& [id, flight] : flights_) {
    if (flight->is_followed) followed.push_back(id);
  }
  for (const std::string& id : followed) {
    Flight& flight = *flights_.at(id);
    TRY_ASSIGN(const auto row, store_.find(id));
    const bool is_over = row && is_final(row->progress.state) &&
                         (row->progress.copied || row->progress.state == RequestState::kSuccess);
    if (!is_over && row && !row->owner.empty() && owner_.is_alive(row->owner)) continue;
    // It ended, or its owner died: asking for it again tells which.
    Submission submission{id, flight.row.command, std::move(flight.bytes)};
    timers_.forget(flight);
    flights_.erase(id);
    TRY(adopt(std::move(submission)));
  }
  return {};
}

Result<void> Session::take_cancel_wishes() {
  if (flights_.empty()) return {};
  const auto is_mine = [this](std::string_view id) {
    const auto found = flights_.find(id);
    return found != flights_.end() && !found->second->is_followed;
  };
  TRY_ASSIGN(const auto ids, store_.take_cancel_wishes(is_mine));
  for (const std::string& id : ids) {
    Flight& flight = *flights_.at(id);
    flight.is_held = false;
    apply(flight, {.kind = EventKind::kUserCancel});
  }
  return {};
}

void Session::reject(const RequestRow& row, const std::string& reason) {
  RequestOutcome outcome = outcome_of(row, false);
  outcome.state = RequestState::kGaveUp;
  outcome.attempts = 0;
  outcome.error_code = ErrorCode::kInvalidArgument;
  outcome.error_message = fmt::format("{}: {}", row.request_id, reason);
  outcome.finished_at = row.submitted_at;
  ++progress_.by_state.at(static_cast<std::size_t>(RequestState::kGaveUp));
  observer_.on_outcome(outcome);
}

void Session::touch(Flight& flight) {
  if (flight.is_listed) return;
  flight.is_listed = true;
  changed_.push_back(&flight);
}

bool Session::apply(Flight& flight, const Event& event) {
  RequestRow& row = flight.row;
  const RequestState before = row.progress.state;
  const WallTime now = wall_now();
  Transition transition = step(row.progress, event, options_.retry, now, random_);
  if (transition.is_changed) {
    row.progress = std::move(transition.next);
    const RequestState after = row.progress.state;
    if (after == RequestState::kWaiting && before != after) ++waiting_, ++progress_.retries;
    if (before == RequestState::kWaiting && before != after) --waiting_;
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
  flight.actions.insert(flight.actions.end(), transition.actions.begin(), transition.actions.end());
  if (flight.is_dirty || !flight.actions.empty()) touch(flight);
  return transition.is_changed;
}

void Session::look(Flight& flight) {
  if (flight.is_followed || flight.is_held || is_final(flight.row.progress.state)) return;
  const std::string& id = flight.row.request_id;
  auto file = spool::read_response_file(*root_.directories(), id);
  if (!file) {
    observer_.on_notice(fmt::format("response {}: {}", id, file.error().message));
    return;
  }
  if (!*file) {
    flight.unreadable.reset();
    if (flight.row.progress.state == RequestState::kWaiting) {
      apply(flight, {.kind = EventKind::kResponseVanished});
    }
    return;
  }
  const spool::FileIdentity identity = (*file)->identity;
  auto response = parse_response((*file)->bytes, id);
  if (!response) return look_at_unreadable(flight, identity, response.error());
  flight.unreadable.reset();
  timers_.disarm(flight, TimerKind::kSettle);
  if (response->timing) {
    flight.row.queued_ms = response->timing->queued_ms;
    flight.row.run_ms = response->timing->run_ms;
  }
  // A response is counted by the change that it makes, which happens once and is durable with it.
  if (apply(flight, response_event(*response, to_version(identity)))) {
    count(flight, *response);
    keep_in_cache(flight, *response);
  }
}

void Session::look_at_unreadable(Flight& flight, const spool::FileIdentity& identity,
                                 const Error& error) {
  // Another implementation may write in place: only what stays as it is counts.
  if (flight.unreadable != identity) {
    flight.unreadable = identity;
    timers_.arm(flight, TimerKind::kSettle, now_ + limits::kSettle);
    return;
  }
  if (flight.armed.at(static_cast<std::size_t>(TimerKind::kSettle))) return;  // Not yet stable.
  Event event;
  event.kind = EventKind::kResponseUnreadable;
  event.version = to_version(identity);
  event.code = ErrorCode::kDataLoss;
  event.message = fmt::format("response: not readable: {}", error.message);
  apply(flight, event);
}

void Session::on_timer(Flight& flight, TimerKind kind) {
  if (kind == TimerKind::kSettle) return look(flight);
  switch (stage_of(flight.row.progress)) {
    case Stage::kPolling:
      // An answer whose event was lost is still an answer.
      look(flight);
      if (stage_of(flight.row.progress) != Stage::kPolling) return;
      apply(flight, {.kind = spool::has_request(*root_.directories(), flight.row.request_id)
                                 ? EventKind::kAttemptTimeout
                                 : EventKind::kRequestVanished});
      break;
    case Stage::kTimingOut:
    case Stage::kCancelling:
      apply(flight, {.kind = EventKind::kCancelTimeout});
      break;
    case Stage::kWaiting:
      if (is_stopping()) break;
      apply(flight, {.kind = EventKind::kBackoffElapsed});
      break;
    case Stage::kNew:
    case Stage::kSuccess:
    case Stage::kGaveUp:
      break;
  }
}

void Session::finish(Flight& flight) {
  const std::string id = flight.row.request_id;
  if (flight.is_rejected) {
    if (flight.row.progress.state == RequestState::kWaiting) --waiting_;
    reject(flight.row, "another request of that id is there; choose another id");
  } else {
    ++progress_.by_state.at(static_cast<std::size_t>(flight.row.progress.state));
    note_end(flight);
    RequestOutcome outcome = outcome_of(flight.row, flight.is_from_earlier);
    outcome.is_cached = flight.is_cached;
    observer_.on_outcome(outcome);
  }
  // What is left to write is written without it.
  if (flight.is_dirty) last_rows_.push_back(flight.row);
  if (flight.is_listed) std::erase(changed_, &flight);
  timers_.forget(flight);
  flights_.erase(id);
}

}  // namespace filecall::client
