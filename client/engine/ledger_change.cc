// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <poll.h>

#include "client/engine/file_actions.h"
#include "client/engine/flight.h"
#include "client/engine/ledger_base.h"
#include "ipc/response.h"
#include "os/clock.h"
#include "spool/drop.h"

namespace filecall::client {
namespace {

constexpr int kLookEveryMs = 20;

Unexpected<Error> missing(std::string_view id) {
  return fail(ErrorCode::kNotFound, fmt::format("{}: no such request", id));
}

bool is_over(const RequestRow& row) {
  return is_final(row.progress.state) &&
         (row.progress.copied || row.progress.state == RequestState::kSuccess);
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
  for (const Action& action : transition.actions) TRY(act(row, action));
  return {};
}

Result<void> RootLedger::act(RequestRow& row, const Action& action) {
  const std::string& id = row.request_id;
  switch (action.kind) {
    case ActionKind::kRemoveFailedCopy:
      return remove_failed_copy(root_, id);
    case ActionKind::kDeleteResponse:
      TRY(spool::delete_response(*root_.directories(), id, to_identity(action.version)));
      return {};
    case ActionKind::kSendCancel:
      return send_cancel(root_, id, action.attempt, options_.durability);
    case ActionKind::kSetAsideResponse:
      TRY(set_aside_response(root_, id, action.version, action.attempt, options_.durability));
      return {};
    case ActionKind::kCopyResponse: {
      TRY_ASSIGN(const bool is_copied, copy_response(root_, id, options_.durability));
      if (!is_copied) TRY(write_own_failure(root_, row, options_.durability));
      return advance(row, {.kind = EventKind::kCopied});
    }
    case ActionKind::kWriteOwnFailure:
      TRY(write_own_failure(root_, row, options_.durability));
      return advance(row, {.kind = EventKind::kCopied});
    case ActionKind::kDropRequest:
    case ActionKind::kArmAttemptTimeout:
    case ActionKind::kArmCancelTimeout:
    case ActionKind::kArmBackoff:
      return {};  // The next run or watch begins with these.
  }
  return {};
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
  const auto directories = root_.directories();
  if (!spool::has_request(*directories, id)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: its request file is gone; drop it again", id));
  }
  // What is there now, not what was there when it was given up.
  row->progress.spent.reset();
  TRY_ASSIGN(const auto file, spool::read_response_file(*directories, id));
  if (file) {
    const auto response = parse_response(file->bytes, id);
    if (response && response->is_success()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{}: a success response arrived after it was given up; read it at {}",
                              id, root_.layout().response(id)));
    }
    row->progress.spent = to_version(file->identity);
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
    if (row && is_over(*row)) return CancelEffect::kCancelled;
    ::poll(nullptr, 0, kLookEveryMs);
  }
  return CancelEffect::kAsked;
}

Result<CancelEffect> RootLedger::cancel_own(RequestRow row, Duration patience) {
  const std::string id = row.request_id;
  // NEW by the files alone may be executing: its answer is awaited like a POLLING one's.
  if (row.progress.state == RequestState::kNew && spool::has_request(*root_.directories(), id)) {
    row.progress.state = RequestState::kPolling;
    row.progress.attempt = 1;
  }
  TRY(advance(row, {.kind = EventKind::kUserCancel}));
  const Deadline deadline = Deadline::after(monotonic_now(), patience);
  while (!is_final(row.progress.state)) {
    TRY_ASSIGN(const auto file, spool::read_response_file(*root_.directories(), id));
    const auto response = file ? parse_response(file->bytes, id) : Result<Response>(missing(id));
    if (response) {
      Event event;
      event.kind = response->is_success() ? EventKind::kResponseSuccess : EventKind::kResponseError;
      event.version = to_version(file->identity);
      if (response->failure) {
        event.code = response->failure->code;
        event.message = response->failure->message;
      }
      TRY(advance(row, event));
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
