// SPDX-License-Identifier: MIT
#include "client/service/request_editor.h"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "client/core/cancel_request.h"
#include "client/core/request_edit.h"
#include "client/core/request_machine.h"
#include "client/engine/performer.h"
#include "client/service/unknown_request.h"
#include "os/clock.h"
#include "spool/client_files.h"
#include "spool/lock.h"

namespace filecall::client {
namespace {

constexpr int kLookAgainMs = 5;
/// After which a withdrawal that is not there was taken away by the request's client.
constexpr Duration kTaken = milliseconds(200);

/// Whether it says that a worker gave the request back before it began.
bool is_withdrawal(const ChannelAnswer& answer) {
  return answer.response && !answer.response->is_success() &&
         answer.response->failure->code == ErrorCode::kCancelled &&
         event_of(*answer.response, answer.version).is_given_back;
}

Unexpected<Error> has_begun(const std::string& id) {
  return fail(
      ErrorCode::kFailedPrecondition,
      fmt::format("{}: has begun; what runs is not changed. 'filecall cancel' ends it, then "
                  "ask under another id",
                  id));
}

}  // namespace

EditClaims RequestEditor::Waiting::others() const {
  EditClaims claims{.is_between_attempts = is_between, .batch = row.batch};
  // A watch has no text of its own: it drives what is there.
  if (is_driven && !row.content_hash.empty()) claims.waiting_client = row.owner;
  return claims;
}

Result<RequestEditor::Waiting> RequestEditor::find_waiting(const std::string& id) {
  // Another member may have answered what an edit asks the worker, under the id that it will have.
  if (root_.layout().is_of_group()) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: not edited, because {} is the root of a group; cancel the request "
                            "and ask under another id",
                            id, root_.layout().root()));
  }
  rows_.forget_owners();
  TRY_ASSIGN(auto found, rows_.find(id));
  if (!found || found->row.is_control) return Unexpected(unknown_request(root_, id));
  Waiting waiting{.row = std::move(found->row), .has_row = !found->is_inferred};
  waiting.is_driven = rows_.is_alive(waiting.row.owner);
  TRY_ASSIGN(const auto answer, channel_.read_answer(id));
  waiting.is_withdrawn = answer && is_withdrawal(*answer);
  const RequestState state = waiting.row.progress.state;
  // Without a client, what was given back looks like any error.
  if (waiting.row.collected_at || (is_final(state) && !waiting.is_withdrawn)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: is {} already; what has ended is not edited. Ask under "
                            "another id",
                            id, to_string(state)));
  }
  if (!channel_.has_request(id)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: its request file is gone; there is nothing to edit", id));
  }
  if (channel_.begun_at(id)) return has_begun(id);
  waiting.is_between = answer && !waiting.is_withdrawn;
  return waiting;
}

Result<std::string> RequestEditor::text(const std::string& id) {
  TRY(find_waiting(id));
  TRY_ASSIGN(auto text, channel_.read_request(id));
  if (!text) return Unexpected(unknown_request(root_, id));
  return std::move(*text);
}

bool RequestEditor::has_worker() const {
  return spool::FileLock::is_held(root_.layout().worker_alive()).value_or(true);
}

Result<void> RequestEditor::write(const Waiting& waiting, const std::string& before,
                                  const std::string& after) {
  const std::string& id = waiting.row.request_id;
  TRY_ASSIGN(const auto now, channel_.read_request(id));
  if (!now || *now != before) {
    return fail(ErrorCode::kAborted,
                fmt::format("{}: somebody has changed or removed it meanwhile; nothing was done. "
                            "Edit what is there now",
                            id));
  }
  TRY(spool::replace_request(*root_.directories(), id, after, durability_));
  return note_text(waiting, after);
}

// Who asks it again, with the earlier text, learns that it is another request.
Result<void> RequestEditor::note_text(const Waiting& waiting, const std::string& text) {
  if (!waiting.has_row || waiting.is_driven || waiting.row.content_hash.empty()) return {};
  if (!waiting.row.batch.empty()) return {};  // Only its priority, which is no part of the hash.
  TRY(store_.begin());
  const auto put = [&]() -> Result<void> {
    TRY_ASSIGN(auto row, store_.find(waiting.row.request_id));
    if (!row || row->owner != waiting.row.owner) return {};
    row->content_hash = hash128(text).hex();
    return store_.put(*row);
  };
  if (const auto done = put(); !done) {
    store_.rollback();
    return done;
  }
  return store_.commit();
}

Result<std::optional<RequestEditor::Grip>> RequestEditor::read_reply(const std::string& control,
                                                                     const std::string& id) {
  TRY_ASSIGN(const auto answer, channel_.read_answer(control));
  if (!answer || !answer->response) return std::optional<Grip>();
  if (answer->response->is_success()) {
    const Json& data = answer->response->data;
    const Json state = data.is_object() ? data.value("state", Json()) : Json();
    return std::optional(state == "queued" ? Grip::kWithdrawn : Grip::kBegun);
  }
  const Failure& failure = *answer->response->failure;
  // It was dropped just now, and is noticed soon.
  if (failure.code == ErrorCode::kNotFound && channel_.has_request(id)) {
    TRY(channel_.discard_answer(control, answer->version));
    return std::optional<Grip>();
  }
  return fail(failure.code,
              fmt::format("{}: the worker does not give it back: {}", id, failure.message));
}

// An earlier reply goes before it is asked: a reply that came in between is not to be lost, since
// asked twice the worker says that there is a response already.
Result<void> RequestEditor::ask(const std::string& control, const std::string& text) {
  TRY_ASSIGN(const auto earlier, channel_.read_answer(control));
  if (earlier) TRY(channel_.discard_answer(control, earlier->version));
  ChannelDrop drop{.request_id = control, .bytes = text};
  channel_.drop({&drop, 1});
  if (drop.error) return Unexpected(std::move(*drop.error));
  return {};
}

Result<RequestEditor::Grip> RequestEditor::withdraw(const Waiting& waiting, Deadline deadline) {
  const std::string& id = waiting.row.request_id;
  const Action action{.kind = ActionKind::kSendCancel,
                      .attempt = std::max(waiting.row.progress.attempt, 1),
                      .wish = CancelWish::kWithdrawWaiting};
  const std::string control = cancel_id(id, action.attempt, action.wish);
  TRY(store_.put(*control_row(channel_, id, action, wall_now())));
  TRY(ask(control, cancel_request(id, action.attempt, action.wish)));
  for (;;) {
    TRY_ASSIGN(const auto grip, read_reply(control, id));
    if (grip) return *grip;
    if (deadline.is_reached(monotonic_now())) break;
    ::poll(nullptr, 0, kLookAgainMs);
  }
  // A request that is deleted while it waits is not run.
  TRY(spool::remove_request(*root_.directories(), control));
  // The reply may have come since it was looked for.
  TRY_ASSIGN(const auto late, read_reply(control, id));
  if (late) return *late;
  return fail(ErrorCode::kUnavailable,
              fmt::format("{}: the worker has not replied in time; 'filecall doctor' says what it "
                          "does, --patience waits longer",
                          id));
}

Result<std::optional<AnswerVersion>> RequestEditor::await_withdrawal(const Waiting& waiting,
                                                                     Deadline deadline) {
  const std::string& id = waiting.row.request_id;
  // It is there before the worker's reply is, or nearly so.
  if (waiting.is_driven) deadline = std::min(deadline, Deadline::after(monotonic_now(), kTaken));
  for (;;) {
    TRY_ASSIGN(const auto answer, channel_.read_answer(id));
    if (answer && is_withdrawal(*answer)) return std::optional(answer->version);
    if (answer) return has_begun(id);
    if (deadline.is_reached(monotonic_now())) return std::optional<AnswerVersion>();
    ::poll(nullptr, 0, kLookAgainMs);
  }
}

Result<void> RequestEditor::make_sure(const Waiting& waiting, Deadline deadline) {
  const std::string& id = waiting.row.request_id;
  const auto grip = withdraw(waiting, deadline);
  if (!grip || *grip == Grip::kBegun) {
    return fail(ErrorCode::kDataLoss,
                fmt::format("{}: {}: which of the two texts runs is not known. 'filecall cancel' "
                            "ends it",
                            id, grip ? "it began while it was edited" : grip.error().message));
  }
  TRY_ASSIGN(const auto version, await_withdrawal(waiting, deadline));
  if (version) TRY(channel_.discard_answer(id, *version));
  return {};
}

Result<void> RequestEditor::replace_withdrawn(const Waiting& waiting, const std::string& before,
                                              const std::string& after, Deadline deadline) {
  const std::string& id = waiting.row.request_id;
  TRY_ASSIGN(const Grip grip, withdraw(waiting, deadline));
  if (grip == Grip::kBegun) return has_begun(id);
  TRY_ASSIGN(const auto version, await_withdrawal(waiting, deadline));
  const auto written = write(waiting, before, after);
  if (!version) {
    TRY(written);
    return make_sure(waiting, deadline);
  }
  const auto answer = channel_.read_answer(id);
  const bool was_there = answer && *answer && (*answer)->version == *version;
  TRY(channel_.discard_answer(id, *version));
  TRY(written);
  // A watch may have taken the response away before the text was there.
  return was_there ? Result<void>() : make_sure(waiting, deadline);
}

// Its client finds that it was given back, and asks for it again.
Result<void> RequestEditor::replace_priority(const Waiting& waiting, const std::string& before,
                                             const std::string& after, Deadline deadline) {
  TRY(write(waiting, before, after));
  const auto grip = withdraw(waiting, deadline);
  if (!grip) {
    TRY(write(waiting, after, before));
    return Unexpected(grip.error());
  }
  if (*grip == Grip::kBegun) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: has begun; another attempt of it would have the new priority",
                            waiting.row.request_id));
  }
  return {};
}

Result<std::vector<std::string>> RequestEditor::replace(const std::string& id,
                                                        const std::string& before,
                                                        const std::string& after,
                                                        Duration patience) {
  const auto lock = spool::FileLock::acquire(root_.layout().client_edit_lock(), patience);
  if (!lock && lock.error().code == ErrorCode::kUnavailable) {
    return fail(ErrorCode::kUnavailable,
                id + ": not edited, because another edit is under way; try again");
  }
  if (!lock) return Unexpected(lock.error());
  const Deadline deadline = Deadline::after(monotonic_now(), patience);
  TRY_ASSIGN(auto members, changed_members(before, after));
  if (members.empty()) return members;
  TRY_ASSIGN(const Waiting waiting, find_waiting(id));
  TRY(admit_edit(id, waiting.others(), members));
  if (waiting.is_between) {
    TRY(write(waiting, before, after));
    return members;
  }
  if (waiting.is_withdrawn) {
    TRY(write(waiting, before, after));
    // Nobody else takes it up again: a run or a watch does so with what it asked.
    const bool is_nobodys = !waiting.is_driven && waiting.row.batch.empty();
    if (is_nobodys) {
      TRY_ASSIGN(const auto answer, channel_.read_answer(id));
      if (answer && is_withdrawal(*answer)) TRY(channel_.discard_answer(id, answer->version));
    }
    return members;
  }
  if (!has_worker()) {
    TRY(write(waiting, before, after));
    // One that started meanwhile may have read the earlier text.
    if (has_worker()) TRY(make_sure(waiting, deadline));
  } else if (waiting.is_driven && is_priority_alone(members)) {
    TRY(replace_priority(waiting, before, after, deadline));
  } else {
    TRY(replace_withdrawn(waiting, before, after, deadline));
  }
  return members;
}

}  // namespace filecall::client
