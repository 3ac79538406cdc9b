// SPDX-License-Identifier: MIT
#include "client/engine/performer.h"

#include <fmt/core.h>

#include <utility>

#include "client/core/cancel_request.h"
#include "client/core/own_failure.h"
#include "spool/layout.h"

namespace filecall::client {
namespace {

Result<void> keep_own_failure(RequestChannel& channel, std::string_view id,
                              const RequestProgress& progress, Performed& performed) {
  Response failure = own_failure(id, progress);
  TRY(channel.keep_as_failed(failure));
  performed.is_copied = true;
  performed.own_failure = std::move(failure);
  return {};
}

}  // namespace

Result<void> perform(RequestChannel& channel, std::string_view id, const RequestProgress& progress,
                     const Action& action, Performed& performed) {
  switch (action.kind) {
    case ActionKind::kRemoveFailedCopy:
      return channel.remove_failed(id);
    case ActionKind::kSetAsideResponse: {
      TRY_ASSIGN(const bool is_kept, channel.set_aside(id, action.version, action.attempt));
      if (is_kept) {
        performed.notice = fmt::format("response {}: not readable; kept as failed/{}", id,
                                       spool::Layout::unreadable_name(id, action.attempt));
      }
      return {};
    }
    case ActionKind::kDeleteResponse: {
      TRY_ASSIGN(const bool is_gone, channel.discard_answer(id, action.version));
      if (!is_gone) performed.is_other_answer = true;
      return {};
    }
    case ActionKind::kSendCancel:
      return channel.send_cancel(id, action.attempt, action.wish);
    case ActionKind::kCopyResponse: {
      TRY_ASSIGN(performed.is_copied, channel.keep_answer_as_failed(id));
      if (performed.is_copied) return {};
      return keep_own_failure(channel, id, progress, performed);
    }
    case ActionKind::kWriteOwnFailure:
      return keep_own_failure(channel, id, progress, performed);
    case ActionKind::kDropRequest:
    case ActionKind::kArmAttemptTimeout:
    case ActionKind::kArmCancelTimeout:
    case ActionKind::kArmBackoff:
      return {};
  }
  return {};
}

std::optional<RequestRow> control_row(const RequestChannel& channel, std::string_view id,
                                      const Action& action, WallTime now) {
  RequestRow row;
  if (action.kind == ActionKind::kSendCancel) {
    row.request_id = cancel_id(id, action.attempt, action.wish);
    row.command = "system.cancel";
  } else if (action.kind == ActionKind::kDeleteResponse && channel.asks_to_discard()) {
    row.request_id = discard_id(id, action.version);
    row.command = "system.discard";
  } else {
    return std::nullopt;
  }
  row.progress.state = RequestState::kSuccess;
  row.progress.attempt = 1;
  row.progress.changed_at = now;
  row.submitted_at = now;
  row.finished_at = now;
  row.is_control = true;
  return row;
}

}  // namespace filecall::client
