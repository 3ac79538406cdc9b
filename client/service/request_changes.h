// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "client/channel/request_channel.h"
#include "client/core/request_machine.h"
#include "client/service/root_rows.h"
#include "client/store/state_store.h"
#include "ipc/durability.h"
#include "spool/root.h"

namespace filecall::client {

/// What an operation did to each id it was given.
struct IdResult {
  std::string request_id;
  std::optional<Error> error;  ///< Absent: done.
  /// It has no request file: it waited for another one, or the file is gone. Only the run of its
  /// batch asks it.
  bool is_unasked = false;
};

/// Which of those that were given up; what is empty is not asked for. What somebody cancelled, and
/// what was aborted and may have had effects, is taken by its code alone.
struct FailedChoice {
  std::string batch{};
  std::string command{};
  std::optional<ErrorCode> error_code{};
};

struct FailedRetry {
  std::vector<IdResult> results{};
  std::int64_t cancelled = 0;  ///< Left out, for want of their code.
  std::int64_t aborted = 0;
  std::int64_t of_runs = 0;  ///< Left out: of agents' runs, which have ended without them.
};

enum class CancelEffect : std::uint8_t {
  kCancelled,  ///< It is GAVE_UP now, and nothing will run it.
  /// It is GAVE_UP for clients, but no worker answered: the cancel request is dropped, and the next
  /// worker ends it.
  kRecorded,
  kAsked,  ///< A live client drives it and has not ended it yet.
};

/// What became of one that was to be ended.
struct IdCancel {
  std::string request_id;
  Result<CancelEffect> effect;
};

/// Changes single requests that nobody drives, by the same machine as a run does: retry and cancel.
/// Blocking; one thread.
class RequestChanges {
 public:
  /// All must outlive it.
  RequestChanges(const spool::Root& root, RequestChannel& channel, StateStore& store,
                 RootRows& rows, Durability durability);

  /// GAVE_UP -> NEW with attempts reset: the request is pending again. Per id failed_precondition
  /// (not given up; the message says what it is) or not_found.
  /// `priority`: the request's from now on; absent: as it is.
  std::vector<IdResult> retry(const std::vector<std::string>& ids,
                              std::optional<int> priority = {});
  /// All that were given up and are chosen.
  Result<FailedRetry> retry_failed(const FailedChoice& choice, std::optional<int> priority = {});

  /// Asks the worker to end it and waits up to `patience` for its answer.
  /// Failures: not_found, failed_precondition (already final).
  Result<CancelEffect> cancel(std::string_view id, Duration patience);
  /// The same of many: all are asked before one is waited for, so that none begins because another
  /// made room, and all share the patience. Each id has one result; one that stands twice counts
  /// once. Failure: the database cannot be written, and none was asked.
  Result<std::vector<IdCancel>> cancel_all(const std::vector<std::string>& ids, Duration patience);

 private:
  struct Cancelling;

  /// Lets the machine decide: what follows is to be written and carried out.
  Transition decide(RequestRow& row, const Event& event, WallTime now);
  Result<void> write(const RequestRow& row, const Transition& transition, WallTime now);
  Result<void> carry_out(RequestRow& row, const Transition& transition);
  /// Lets the machine decide, makes the row durable, does what follows.
  Result<void> advance(RequestRow& row, const Event& event);
  Result<void> require_own(std::string_view id) const;
  /// A run of the batch can write its file again. Not so an agent's run.
  bool has_batch(const RequestRow& row);
  /// Whether it is pending now: what has no file waits for the run of its batch.
  Result<bool> retry_one(const std::string& id, std::optional<int> priority);
  /// Of one that has ended: nobody reads it before its response is deleted.
  Result<void> set_priority(const std::string& id, int priority);
  bool is_chosen(const RequestRow& row, const FailedChoice& choice);
  bool is_of_agent(const RequestRow& row);
  Result<void> find_cancellable(Cancelling& one);
  Result<void> ask_all(std::vector<Cancelling>& all);
  /// Sets the effect when it has ended, or when the patience `is_over`.
  void look_for_end(Cancelling& one, bool is_over);
  Result<void> look_at_foreign(Cancelling& one, bool is_over);
  Result<void> look_at_own(Cancelling& one, bool is_over);

  const spool::Root& root_;
  RequestChannel& channel_;
  StateStore& store_;
  RootRows& rows_;
  const Durability durability_;  ///< Of a request that is written.
  Random random_;
};

}  // namespace filecall::client
