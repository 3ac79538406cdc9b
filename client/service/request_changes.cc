// SPDX-License-Identifier: MIT
#include "client/service/request_changes.h"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "client/core/price_table.h"
#include "client/core/request_edit.h"
#include "client/engine/performer.h"
#include "client/runs/batch_members.h"
#include "client/service/request_count.h"
#include "client/service/unknown_request.h"
#include "ipc/request.h"
#include "os/clock.h"
#include "os/process.h"
#include "spool/client_files.h"

namespace filecall::client {
namespace {

constexpr int kLookEveryMs = 20;

Unexpected<Error> succeeded_first(const std::string& id) {
  return fail(ErrorCode::kFailedPrecondition, fmt::format("{}: succeeded first", id));
}

/// Whether a run of an agent has asked it, by its id alone: RUN.1.plan, RUN.1.2, RUN.result.
bool is_of_noted_run(const spool::Layout& layout, std::string_view id) {
  for (std::size_t dot = id.find('.'); dot != std::string_view::npos; dot = id.find('.', dot + 1)) {
    const std::string note = layout.thread_of_run(id.substr(0, dot));
    if (::access(note.c_str(), F_OK) == 0) return true;
  }
  return false;
}

}  // namespace

RequestChanges::RequestChanges(const spool::Root& root, RequestChannel& channel, StateStore& store,
                               RootRows& rows, Durability durability)
    : root_(root),
      channel_(channel),
      store_(store),
      rows_(rows),
      durability_(durability),
      random_(random_seed()) {}

Transition RequestChanges::decide(RequestRow& row, const Event& event, WallTime now) {
  Transition transition = step(row.progress, event, RetryPolicy{}, now, random_);
  if (!transition.is_changed) return transition;
  row.progress = transition.next;
  row.finished_at =
      is_final(row.progress.state) ? std::optional(row.finished_at.value_or(now)) : std::nullopt;
  if (is_final(row.progress.state)) row.owner.clear();
  return transition;
}

Result<void> RequestChanges::write(const RequestRow& row, const Transition& transition,
                                   WallTime now) {
  if (!transition.is_changed) return {};
  TRY(store_.put(row));
  for (const Action& action : transition.actions) {
    const auto control = control_row(channel_, row.request_id, action, now);
    if (control) TRY(store_.put(*control));
  }
  return {};
}

Result<void> RequestChanges::carry_out(RequestRow& row, const Transition& transition) {
  Performed performed;
  for (const Action& action : transition.actions) {
    // What is to be dropped or awaited, the next run or watch begins with.
    TRY(perform(channel_, row.request_id, row.progress, action, performed));
  }
  return performed.is_copied ? advance(row, {.kind = EventKind::kCopied}) : Result<void>();
}

Result<void> RequestChanges::advance(RequestRow& row, const Event& event) {
  const WallTime now = wall_now();
  const Transition transition = decide(row, event, now);
  if (transition.is_changed) {
    TRY(store_.begin());
    if (const auto written = write(row, transition, now); !written) {
      store_.rollback();
      return written;
    }
    TRY(store_.commit());
  }
  return carry_out(row, transition);
}

std::vector<IdResult> RequestChanges::retry(const std::vector<std::string>& ids,
                                            std::optional<int> priority) {
  std::vector<IdResult> results;
  for (const std::string& id : ids) {
    IdResult result{id, std::nullopt};
    const auto was_asked = retry_one(id, priority);
    if (!was_asked) result.error = was_asked.error();
    result.is_unasked = was_asked && !*was_asked;
    results.push_back(std::move(result));
  }
  return results;
}

Result<void> RequestChanges::set_priority(const std::string& id, int priority) {
  TRY_ASSIGN(const auto text, channel_.read_request(id));
  if (!text) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: has no request file, and its batch asks it; retry it without "
                            "--priority, and run the batch with --priority {}",
                            id, priority));
  }
  // Another file would be another user's request.
  if (!spool::may_drive(*root_.directories(), id)) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: is another user's request; only that user gives it another "
                            "priority",
                            id));
  }
  const MemberChange change{{"priority"}, Json(priority)};
  const auto edited = edited_request(*text, {&change, 1});
  // What is no request gets the same response again.
  if (!edited || *edited == *text) return {};
  return spool::replace_request(*root_.directories(), id, *edited, durability_);
}

Result<void> RequestChanges::require_own(std::string_view id) const {
  if (spool::may_change(*root_.directories(), id)) return {};
  return fail(ErrorCode::kPermissionDenied,
              fmt::format("{}: is another user's request; only that user, and the owner of the "
                          "root, may change it",
                          id));
}

Result<bool> RequestChanges::retry_one(const std::string& id, std::optional<int> priority) {
  TRY_ASSIGN(auto found, rows_.find(id));
  if (!found || found->row.is_control) return Unexpected(unknown_request(root_, id));
  TRY(require_own(id));
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
  // What was not asked is dropped by its batch.
  const bool is_there = channel_.has_request(id);
  const bool was_asked = !is_never_asked(row.progress) && (is_there || !has_batch(row) || answer);
  if (was_asked && !is_there) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: its request file is gone; drop it again", id));
  }
  // What is there now, not what was there when it was given up.
  const auto was_counted = std::exchange(row.progress.counted_response, std::nullopt);
  if (answer) {
    if (answer->response && answer->response->is_success()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{}: a success response arrived after it was given up; read it at {}",
                              id, root_.layout().response(id)));
    }
    // An attempt that no client has seen was paid for, too. Without a cost of its own it would be
    // a call without a price for ever: the prices of its run are not here.
    if (answer->response && was_counted != answer->version) {
      const Spend unseen = spend_of(*answer->response, TokenPrices());
      if (unseen.unpriced == 0) row.spend += unseen;
    }
    row.progress.counted_response = answer->version;
    // Deleting it must not lose how the request ended.
    TRY_ASSIGN(const bool is_kept, channel_.keep_answer_as_failed(id));
    row.progress.copied = row.progress.copied || is_kept;
  }
  if (priority) TRY(set_priority(id, *priority));
  TRY(advance(row, {.kind = EventKind::kUserRetry}));
  return was_asked;
}

bool RequestChanges::is_chosen(const RequestRow& row, const FailedChoice& choice) {
  if (choice.error_code && row.progress.error_code != choice.error_code) return false;
  if (choice.command.empty() || !row.command.empty()) {
    return choice.command.empty() || row.command == choice.command;
  }
  // No client has read what a program dropped.
  const auto text = channel_.read_request(row.request_id);
  if (!text || !*text) return false;
  const auto request = parse_request(**text, row.request_id);
  return request && request->command == choice.command;
}

bool RequestChanges::has_batch(const RequestRow& row) {
  return !row.batch.empty() && !is_of_agent(row);
}

bool RequestChanges::is_of_agent(const RequestRow& row) {
  const auto text = channel_.read_request(row.request_id);
  if (text && !*text) return is_of_noted_run(root_.layout(), row.request_id);
  if (!text || (*text)->find("\"agent_run\"") == std::string::npos) return false;
  const auto request = parse_request(**text, row.request_id);
  return request && request->metadata.is_object() && request->metadata.contains("agent_run");
}

Result<FailedRetry> RequestChanges::retry_failed(const FailedChoice& choice,
                                                 std::optional<int> priority) {
  FailedRetry done;
  std::vector<std::string> ids;
  TRY_ASSIGN(spool::NameList names, read_request_names(root_));
  TRY_ASSIGN(const auto members, BatchMembers::of(root_.layout(), choice.batch));
  TRY(rows_.walk(std::move(names), [&](const RequestRow& row, bool) -> Result<bool> {
    const bool is_meant = row.progress.state == RequestState::kGaveUp && !row.is_control &&
                          !row.collected_at && members.contains(row.request_id, row.batch) &&
                          is_chosen(row, choice);
    if (!is_meant) return true;
    if (is_of_agent(row)) {
      ++done.of_runs;
      return true;
    }
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
  done.results = retry(ids, priority);
  return done;
}

/// A request that is being ended.
struct RequestChanges::Cancelling {
  std::string id;
  RequestRow row{};
  /// A live client drives it: it is asked through the database, so that it does not take the
  /// worker's answer for a failure to be retried.
  bool is_foreign = false;
  bool is_heard = false;
  Transition asked{};
  std::optional<Result<CancelEffect>> effect{};
};

Result<CancelEffect> RequestChanges::cancel(std::string_view id, Duration patience) {
  TRY_ASSIGN(std::vector<IdCancel> all, cancel_all({std::string(id)}, patience));
  return std::move(all.front().effect);
}

Result<std::vector<IdCancel>> RequestChanges::cancel_all(const std::vector<std::string>& ids,
                                                         Duration patience) {
  rows_.forget_owners();
  std::vector<Cancelling> all;
  std::set<std::string_view> known;
  for (const std::string& id : ids) {
    if (!known.insert(id).second) continue;
    all.push_back({.id = id});
    if (const auto found = find_cancellable(all.back()); !found) {
      all.back().effect = Unexpected(found.error());
    }
  }
  TRY(ask_all(all));
  const Deadline deadline = Deadline::after(monotonic_now(), patience);
  for (;;) {
    bool is_waiting = false;
    const bool is_over = deadline.is_reached(monotonic_now());
    for (Cancelling& one : all) {
      if (!one.effect) look_for_end(one, is_over);
      is_waiting = is_waiting || !one.effect;
    }
    if (!is_waiting) break;
    if (!is_over) ::poll(nullptr, 0, kLookEveryMs);
  }
  std::vector<IdCancel> results;
  results.reserve(all.size());
  for (Cancelling& one : all) results.push_back({std::move(one.id), std::move(*one.effect)});
  return results;
}

Result<void> RequestChanges::find_cancellable(Cancelling& one) {
  TRY_ASSIGN(auto found, rows_.find(one.id));
  if (!found || found->row.is_control) return Unexpected(unknown_request(root_, one.id));
  TRY(require_own(one.id));
  one.row = std::move(found->row);
  RequestProgress& progress = one.row.progress;
  if (is_final(progress.state)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: is {} already", one.id, to_string(progress.state)));
  }
  one.is_foreign = rows_.is_alive(one.row.owner);
  // NEW by the files alone may be executing: its answer is awaited like a POLLING one's.
  if (!one.is_foreign && progress.state == RequestState::kNew && channel_.has_request(one.id)) {
    progress.state = RequestState::kPolling;
    progress.attempt = 1;
  }
  return {};
}

Result<void> RequestChanges::ask_all(std::vector<Cancelling>& all) {
  const WallTime now = wall_now();
  TRY(store_.begin());
  for (Cancelling& one : all) {
    if (one.effect) continue;
    if (!one.is_foreign) one.asked = decide(one.row, {.kind = EventKind::kUserCancel}, now);
    const auto written =
        one.is_foreign ? store_.request_cancel(one.id, now) : write(one.row, one.asked, now);
    if (!written) {
      store_.rollback();
      return written;
    }
  }
  TRY(store_.commit());
  // What waits comes first, the youngest of it before all: what has begun makes room when it ends,
  // and nothing that was dropped beside it may take that room.
  struct Asked {
    Cancelling* one;
    bool has_begun;
  };
  std::vector<Asked> order;
  for (Cancelling& one : all) {
    if (!one.effect && !one.is_foreign) {
      order.push_back({&one, channel_.begun_at(one.id).has_value()});
    }
  }
  std::reverse(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [](const Asked& a, const Asked& b) {
    if (a.has_begun != b.has_begun) return b.has_begun;
    return a.one->row.submitted_at > b.one->row.submitted_at;
  });
  for (const auto& [one, has_begun] : order) {
    if (const auto done = carry_out(one->row, one->asked); !done) {
      one->effect = Unexpected(done.error());
    }
    // What had an answer is not run again; of anything else only the worker can say that.
    one->is_heard =
        is_final(one->row.progress.state) && one->row.progress.counted_response.has_value();
  }
  return {};
}

void RequestChanges::look_for_end(Cancelling& one, bool is_over) {
  const auto looked = one.is_foreign ? look_at_foreign(one, is_over) : look_at_own(one, is_over);
  if (!looked) one.effect = Unexpected(looked.error());
}

Result<void> RequestChanges::look_at_foreign(Cancelling& one, bool is_over) {
  TRY_ASSIGN(const auto row, store_.find(one.id));
  if (row && row->progress.state == RequestState::kSuccess) return succeeded_first(one.id);
  if (row && row->progress.is_settled()) {
    one.effect = CancelEffect::kCancelled;
  } else if (is_over) {
    one.effect = CancelEffect::kAsked;
  }
  return {};
}

Result<void> RequestChanges::look_at_own(Cancelling& one, bool is_over) {
  RequestRow& row = one.row;
  while (!is_final(row.progress.state)) {
    TRY_ASSIGN(const auto answer, channel_.read_answer(one.id));
    if (answer && answer->response) {
      one.is_heard = true;
      TRY(advance(row, event_of(*answer->response, answer->version)));
    } else if (is_over) {
      TRY(advance(row, {.kind = EventKind::kCancelTimeout}));
    } else {
      return {};
    }
  }
  if (row.progress.state == RequestState::kSuccess) {
    return succeeded_first(one.id);
  }
  one.effect = one.is_heard || !channel_.has_request(one.id) ? CancelEffect::kCancelled
                                                             : CancelEffect::kRecorded;
  return {};
}

}  // namespace filecall::client
