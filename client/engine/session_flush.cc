// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <utility>

#include "client/core/same_request.h"
#include "client/engine/drop_crew.h"
#include "client/engine/file_actions.h"
#include "client/engine/session.h"
#include "ipc/response.h"
#include "os/clock.h"
#include "spool/drop.h"

namespace filecall::client {

Result<void> Session::begin_transaction() {
  if (in_transaction_) return {};
  TRY(store_.begin());
  in_transaction_ = true;
  return {};
}

// Its final state is durable (but for the note that failed/ has the copy) and all is done.
bool Session::is_over(const Flight& flight) {
  const RequestProgress& progress = flight.row.progress;
  return is_final(progress.state) && !flight.is_copy_missing && flight.actions.empty() &&
         (!flight.is_dirty || progress.copied);
}

// Doing what was decided can make more happen (a request that was there already has its answer
// already), which must be durable before it is acted upon: rounds, until nothing changes. What is
// left after a few waits for the next turn, so that the loop is not starved.
Result<void> Session::flush() {
  constexpr int kRoundsMax = 4;
  for (int round = 0; round < kRoundsMax; ++round) {
    if (changed_.empty() && last_rows_.empty() && !in_transaction_) return {};
    TRY(write_rows());
    std::vector<Flight*> acting;
    for (Flight* flight : std::exchange(changed_, {})) {
      flight->is_listed = false;
      acting.push_back(flight);
    }
    for (Flight* flight : acting) TRY(act(*flight));
    TRY(drop(std::exchange(dropping_, {})));
    for (Flight* flight : acting) {
      if (flight->is_rejected || is_over(*flight)) finish(*flight);
    }
  }
  return {};
}

Result<void> Session::write_rows() {
  for (Flight* flight : changed_) {
    if (!flight->is_dirty) continue;
    TRY(begin_transaction());
    TRY(store_.put(flight->row));
    flight->is_dirty = false;
    for (const Action& action : flight->actions) {
      if (action.kind != ActionKind::kSendCancel) continue;
      TRY(store_.put(cancel_row(flight->row.request_id, action.attempt, wall_now())));
    }
  }
  for (const RequestRow& row : last_rows_) {
    TRY(begin_transaction());
    TRY(store_.put(row));
  }
  last_rows_.clear();
  if (!in_transaction_) return {};
  TRY(store_.commit());
  in_transaction_ = false;
  return {};
}

Result<void> Session::act(Flight& flight) {
  const std::vector<Action> actions = std::exchange(flight.actions, {});
  for (const Action& action : actions) TRY(act_once(flight, action));
  return {};
}

Result<void> Session::act_once(Flight& flight, const Action& action) {
  const std::string& id = flight.row.request_id;
  const spool::Durability durability = options_.durability;
  switch (action.kind) {
    case ActionKind::kRemoveFailedCopy:
      return remove_failed_copy(root_, id);
    case ActionKind::kSetAsideResponse: {
      TRY_ASSIGN(const bool is_kept,
                 set_aside_response(root_, id, action.version, action.attempt, durability));
      if (is_kept) {
        observer_.on_notice(fmt::format("response {}: not readable; kept as failed/{}", id,
                                        spool::Layout::unreadable_name(id, action.attempt)));
      }
      return {};
    }
    case ActionKind::kDeleteResponse: {
      TRY_ASSIGN(const auto deletion,
                 spool::delete_response(*root_.directories(), id, to_identity(action.version)));
      if (deletion == spool::Deletion::kOther) look(flight);
      return {};
    }
    case ActionKind::kDropRequest:
      dropping_.push_back(&flight);
      return {};
    case ActionKind::kSendCancel:
      return send_cancel(root_, id, action.attempt, durability);
    case ActionKind::kCopyResponse: {
      TRY_ASSIGN(const bool is_copied, copy_response(root_, id, durability));
      if (!is_copied) TRY(write_own_failure(root_, flight.row, durability));
      flight.is_copy_missing = false;
      apply(flight, {.kind = EventKind::kCopied});
      return {};
    }
    case ActionKind::kWriteOwnFailure:
      TRY(write_own_failure(root_, flight.row, durability));
      flight.is_copy_missing = false;
      apply(flight, {.kind = EventKind::kCopied});
      return {};
    case ActionKind::kArmAttemptTimeout:
      if (stage_of(flight.row.progress) != Stage::kPolling) return {};
      if (gate_ == WorkerKeeper::Gate::kOpen) {
        arm(flight, options_.attempt_timeout);
      } else {
        flight.is_unarmed = true;
      }
      return {};
    case ActionKind::kArmCancelTimeout:
      arm(flight, options_.cancel_patience);
      return {};
    case ActionKind::kArmBackoff:
      arm(flight, action.delay);
      return {};
  }
  return {};
}

void Session::arm(Flight& flight, Duration delay) {
  flight.is_unarmed = false;
  if (is_final(flight.row.progress.state)) return;
  const Deadline deadline = Deadline::after(now_, delay);
  if (deadline.is_never()) {
    timers_.disarm(flight, TimerKind::kStep);
  } else {
    timers_.arm(flight, TimerKind::kStep, deadline.when());
  }
}

Result<void> Session::drop(const std::vector<Flight*>& flights) {
  const auto directories = root_.directories();
  std::vector<Drop> drops;
  std::vector<Flight*> dropped;
  for (Flight* flight : flights) {
    // A continued request was dropped before, unless the client died in between.
    const bool is_there =
        flight->bytes.empty() ||
        (!flight->is_new && spool::has_request(*directories, flight->row.request_id));
    if (is_there) {
      TRY(reconcile(*flight));
      continue;
    }
    drops.push_back({flight->row.request_id, flight->bytes, spool::Publication::kPublished});
    dropped.push_back(flight);
  }
  TRY(drop_all(*directories, drops, options_.durability));
  for (std::size_t i = 0; i < drops.size(); ++i) {
    if (drops[i].publication == spool::Publication::kAlreadyThere) {
      TRY(reconcile(*dropped[i]));
    } else {
      dropped[i]->bytes = std::string();
      // Somebody's answer may have been there before the request.
      if (!dropped[i]->is_new) look(*dropped[i]);
    }
  }
  return {};
}

// The request file was there before us: is it this request, and how far did it get?
Result<void> Session::reconcile(Flight& flight) {
  const auto directories = root_.directories();
  const std::string id = flight.row.request_id;
  if (!flight.bytes.empty()) {
    TRY_ASSIGN(const auto file, spool::read_request_file(*directories, id));
    if (file && !is_same_request(file->bytes, flight.bytes)) {
      TRY(begin_transaction());
      if (flight.is_new) TRY(store_.remove(id));
      flight.row.owner.clear();
      flight.is_dirty = !flight.is_new;
      flight.is_rejected = true;
      return {};
    }
    flight.bytes = std::string();
  }
  if (!flight.is_new) {
    look(flight);
    return {};
  }
  FileEvidence evidence;
  evidence.has_failed_copy = spool::has_failed(*directories, id);
  auto file = spool::read_response_file(*directories, id);
  if (file && *file) {
    const auto response = parse_response((*file)->bytes, id);
    evidence.has_response = response.has_value();
    evidence.is_success = response && response->is_success();
    if (response && evidence.is_success) {
      flight.row.spend = spend_of(*response, options_.prices);
      count_earlier(flight.row);
    }
    if (response && response->failure) {
      flight.row.progress.error_code = response->failure->code;
      flight.row.progress.error_message = response->failure->message;
    }
  }
  const RequestProgress inferred = infer_progress(evidence, wall_now());
  if (!is_final(inferred.state)) {
    look(flight);
    return {};
  }
  flight.row.progress.state = inferred.state;
  flight.row.progress.copied = inferred.copied;
  if (inferred.state == RequestState::kSuccess) flight.row.progress.error_code.reset();
  flight.row.finished_at = wall_now();
  flight.is_from_earlier = true;
  flight.is_dirty = true;
  timers_.forget(flight);
  touch(flight);
  return {};
}

}  // namespace filecall::client
