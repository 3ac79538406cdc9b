// SPDX-License-Identifier: MIT
#include "client/service/request_changes.h"

#include <fmt/core.h>
#include <poll.h>

#include <utility>

#include "client/engine/performer.h"
#include "client/runs/batch_members.h"
#include "client/service/request_count.h"
#include "os/clock.h"
#include "os/process.h"

namespace filecall::client {
namespace {

constexpr int kLookEveryMs = 20;

Unexpected<Error> missing(std::string_view id) {
  return fail(ErrorCode::kNotFound, fmt::format("{}: no such request", id));
}

bool is_chosen(const RequestRow& row, const FailedChoice& choice) {
  return (choice.command.empty() || row.command == choice.command) &&
         (!choice.error_code || row.progress.error_code == choice.error_code);
}

}  // namespace

RequestChanges::RequestChanges(const spool::Root& root, RequestChannel& channel, StateStore& store,
                               RootRows& rows)
    : root_(root), channel_(channel), store_(store), rows_(rows), random_(random_seed()) {}

Result<void> RequestChanges::advance(RequestRow& row, const Event& event) {
  const WallTime now = wall_now();
  Transition transition = step(row.progress, event, RetryPolicy{}, now, random_);
  if (transition.is_changed) {
    row.progress = std::move(transition.next);
    row.finished_at =
        is_final(row.progress.state) ? std::optional(row.finished_at.value_or(now)) : std::nullopt;
    if (is_final(row.progress.state)) row.owner.clear();
    TRY(store_.begin());
    Result<void> written = store_.put(row);
    for (const Action& action : transition.actions) {
      if (!written || action.kind != ActionKind::kSendCancel) continue;
      written = store_.put(cancel_row(row.request_id, action, now));
    }
    if (!written) {
      store_.rollback();
      return written;
    }
    TRY(store_.commit());
  }
  Performed performed;
  for (const Action& action : transition.actions) {
    // What is to be dropped or awaited, the next run or watch begins with.
    TRY(perform(channel_, row.request_id, row.progress, action, performed));
  }
  return performed.is_copied ? advance(row, {.kind = EventKind::kCopied}) : Result<void>();
}

std::vector<IdResult> RequestChanges::retry(const std::vector<std::string>& ids) {
  std::vector<IdResult> results;
  for (const std::string& id : ids) {
    IdResult result{id, std::nullopt};
    if (const auto retried = retry_one(id); !retried) result.error = retried.error();
    results.push_back(std::move(result));
  }
  return results;
}

Result<void> RequestChanges::retry_one(const std::string& id) {
  TRY_ASSIGN(auto found, rows_.find(id));
  if (!found || found->row.is_control) return missing(id);
  RequestRow& row = found->row;
  if (row.collected_at) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: its files were removed by gc; drop it under another id", id));
  }
  TRY_ASSIGN(const auto answer, channel_.read_answer(id));
  const bool has_error = answer && answer->response && !answer->response->is_success();
  // An attempt failed, and nobody is there to begin the next one.
  if (!is_final(row.progress.state) && (has_error || row.progress.error_code) &&
      !rows_.is_alive(row.owner)) {
    row.progress.state = RequestState::kGaveUp;
  }
  if (row.progress.state != RequestState::kGaveUp) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: is {}, not GAVE_UP", id, to_string(row.progress.state)));
  }
  if (!channel_.has_request(id)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: its request file is gone; drop it again", id));
  }
  // What is there now, not what was there when it was given up.
  row.progress.counted_response.reset();
  if (answer) {
    if (answer->response && answer->response->is_success()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{}: a success response arrived after it was given up; read it at {}",
                              id, root_.layout().response(id)));
    }
    row.progress.counted_response = answer->version;
    // Deleting it must not lose how the request ended.
    TRY_ASSIGN(const bool is_kept, channel_.keep_answer_as_failed(id));
    row.progress.copied = row.progress.copied || is_kept;
  }
  return advance(row, {.kind = EventKind::kUserRetry});
}

Result<FailedRetry> RequestChanges::retry_failed(const FailedChoice& choice) {
  FailedRetry done;
  std::vector<std::string> ids;
  TRY_ASSIGN(spool::NameList names, read_request_names(root_));
  TRY_ASSIGN(const auto members, BatchMembers::of(root_.layout(), choice.batch));
  TRY(rows_.walk(std::move(names), [&](const RequestRow& row, bool) -> Result<bool> {
    const bool is_meant = row.progress.state == RequestState::kGaveUp && !row.is_control &&
                          !row.collected_at && members.contains(row.request_id, row.batch) &&
                          is_chosen(row, choice);
    if (!is_meant) return true;
    const auto code = choice.error_code ? std::nullopt : row.progress.error_code;
    if (code == ErrorCode::kCancelled) {
      ++done.cancelled;
    } else if (code == ErrorCode::kAborted) {
      ++done.aborted;
    } else {
      ids.push_back(row.request_id);
    }
    return true;
  }));
  done.results = retry(ids);
  return done;
}

Result<CancelEffect> RequestChanges::cancel(std::string_view id, Duration patience) {
  rows_.forget_owners();
  TRY_ASSIGN(auto found, rows_.find(id));
  if (!found || found->row.is_control) return missing(id);
  RequestRow& row = found->row;
  if (is_final(row.progress.state)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: is {} already", id, to_string(row.progress.state)));
  }
  if (rows_.is_alive(row.owner)) return cancel_foreign(row.request_id, patience);
  return cancel_own(std::move(row), patience);
}

// Its client is asked through the database, so that it does not take the worker's answer for a
// failure to be retried.
Result<CancelEffect> RequestChanges::cancel_foreign(const std::string& id, Duration patience) {
  TRY(store_.request_cancel(id, wall_now()));
  const Deadline deadline = Deadline::after(monotonic_now(), patience);
  while (!deadline.is_reached(monotonic_now())) {
    TRY_ASSIGN(const auto row, store_.find(id));
    if (row && row->progress.is_settled()) return CancelEffect::kCancelled;
    ::poll(nullptr, 0, kLookEveryMs);
  }
  return CancelEffect::kAsked;
}

Result<CancelEffect> RequestChanges::cancel_own(RequestRow row, Duration patience) {
  const std::string id = row.request_id;
  // NEW by the files alone may be executing: its answer is awaited like a POLLING one's.
  if (row.progress.state == RequestState::kNew && channel_.has_request(id)) {
    row.progress.state = RequestState::kPolling;
    row.progress.attempt = 1;
  }
  TRY(advance(row, {.kind = EventKind::kUserCancel}));
  const Deadline deadline = Deadline::after(monotonic_now(), patience);
  // What had an answer is not run again; of anything else only the worker can say that.
  bool is_heard = is_final(row.progress.state) && row.progress.counted_response.has_value();
  while (!is_final(row.progress.state)) {
    TRY_ASSIGN(const auto answer, channel_.read_answer(id));
    if (answer && answer->response) {
      is_heard = true;
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
  return is_heard || !channel_.has_request(id) ? CancelEffect::kCancelled : CancelEffect::kAsked;
}

}  // namespace filecall::client
