// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <poll.h>

#include "client/engine/performer.h"
#include "client/service/ledger_base.h"
#include "os/clock.h"

namespace filecall::client {
namespace {

constexpr int kLookEveryMs = 20;

Unexpected<Error> missing(std::string_view id) {
  return fail(ErrorCode::kNotFound, fmt::format("{}: no such request", id));
}

}  // namespace

Result<void> RootLedger::advance(RequestRow& row, const Event& event) {
  const WallTime now = wall_now();
  Transition transition = step(row.progress, event, RetryPolicy{}, now, random_);
  if (transition.is_changed) {
    row.progress = std::move(transition.next);
    row.finished_at =
        is_final(row.progress.state) ? std::optional(row.finished_at.value_or(now)) : std::nullopt;
    if (is_final(row.progress.state)) row.owner.clear();
    TRY(store_->begin());
    Result<void> written = store_->put(row);
    for (const Action& action : transition.actions) {
      if (!written || action.kind != ActionKind::kSendCancel) continue;
      written = store_->put(cancel_row(row.request_id, action.attempt, now));
    }
    if (!written) {
      store_->rollback();
      return written;
    }
    TRY(store_->commit());
  }
  Performed performed;
  for (const Action& action : transition.actions) {
    // What is to be dropped or awaited, the next run or watch begins with.
    TRY(perform(channel_, row.request_id, row.progress, action, performed));
  }
  return performed.is_copied ? advance(row, {.kind = EventKind::kCopied}) : Result<void>();
}

Result<std::vector<IdResult>> RootLedger::retry(const std::vector<std::string>& ids) {
  liveness_.clear();
  std::vector<IdResult> results;
  for (const std::string& id : ids) {
    IdResult result{id, std::nullopt};
    if (const auto retried = retry_one(id); !retried) result.error = retried.error();
    results.push_back(std::move(result));
  }
  return results;
}

Result<void> RootLedger::retry_one(const std::string& id) {
  TRY_ASSIGN(auto row, find_or_infer(id));
  if (!row || row->is_control) return missing(id);
  if (row->collected_at) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: its files were removed by gc; drop it under another id", id));
  }
  if (row->progress.state != RequestState::kGaveUp) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: is {}, not GAVE_UP", id, to_string(row->progress.state)));
  }
  if (!channel_.has_request(id)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: its request file is gone; drop it again", id));
  }
  // What is there now, not what was there when it was given up.
  row->progress.spent.reset();
  TRY_ASSIGN(const auto answer, channel_.read_answer(id));
  if (answer) {
    if (answer->response && answer->response->is_success()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{}: a success response arrived after it was given up; read it at {}",
                              id, root_.layout().response(id)));
    }
    row->progress.spent = answer->version;
  }
  return advance(*row, {.kind = EventKind::kUserRetry});
}

Result<std::vector<IdResult>> RootLedger::retry_failed(std::string_view batch) {
  std::vector<std::string> ids;
  TRY(for_each({.state = RequestState::kGaveUp, .batch = std::string(batch), .limit = 0},
               [&](const RequestEntry& entry) {
                 ids.push_back(entry.request_id);
                 return true;
               }));
  return retry(ids);
}

Result<CancelEffect> RootLedger::cancel(std::string_view id, Duration patience) {
  liveness_.clear();
  TRY_ASSIGN(auto row, find_or_infer(id));
  if (!row || row->is_control) return missing(id);
  if (is_final(row->progress.state)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: is {} already", id, to_string(row->progress.state)));
  }
  if (is_alive(row->owner)) return cancel_foreign(row->request_id, patience);
  return cancel_own(std::move(*row), patience);
}

// Its client is asked through the database, so that it does not take the worker's answer for a
// failure to be retried.
Result<CancelEffect> RootLedger::cancel_foreign(const std::string& id, Duration patience) {
  TRY(store_->wish_cancel(id, wall_now()));
  const Deadline deadline = Deadline::after(monotonic_now(), patience);
  while (!deadline.is_reached(monotonic_now())) {
    TRY_ASSIGN(const auto row, store_->find(id));
    if (row && row->progress.is_settled()) return CancelEffect::kCancelled;
    ::poll(nullptr, 0, kLookEveryMs);
  }
  return CancelEffect::kAsked;
}

Result<CancelEffect> RootLedger::cancel_own(RequestRow row, Duration patience) {
  const std::string id = row.request_id;
  // NEW by the files alone may be executing: its answer is awaited like a POLLING one's.
  if (row.progress.state == RequestState::kNew && channel_.has_request(id)) {
    row.progress.state = RequestState::kPolling;
    row.progress.attempt = 1;
  }
  TRY(advance(row, {.kind = EventKind::kUserCancel}));
  const Deadline deadline = Deadline::after(monotonic_now(), patience);
  while (!is_final(row.progress.state)) {
    TRY_ASSIGN(const auto answer, channel_.read_answer(id));
    if (answer && answer->response) {
      TRY(advance(row, event_of(*answer->response, answer->version)));
    } else if (deadline.is_reached(monotonic_now())) {
      TRY(advance(row, {.kind = EventKind::kCancelTimeout}));
    } else {
      ::poll(nullptr, 0, kLookEveryMs);
    }
  }
  if (row.progress.state == RequestState::kSuccess) {
    return fail(ErrorCode::kFailedPrecondition, fmt::format("{}: succeeded first", id));
  }
  return CancelEffect::kCancelled;
}

}  // namespace filecall::client
