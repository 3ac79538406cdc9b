// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/engine/answer_cache.h"
#include "client/engine/desk.h"

namespace filecall::client {

/// Carries out a batch: first all rows in one commit, then the actions, so that every step that
/// others can see is preceded by a durable row. Blocking. One thread at a time; between the steps
/// below the process may die.
class Clerk {
 public:
  /// `cache` null: none. All must outlive it. `priority`: of what is dropped and states none.
  Clerk(StateStore& store, RequestChannel& channel, std::string owner, OwnerLiveness is_alive,
        AnswerCache* cache, std::optional<int> priority = {})
      : store_(store),
        channel_(channel),
        owner_(std::move(owner)),
        is_alive_(std::move(is_alive)),
        cache_(cache),
        priority_(priority) {}

  /// All of it; what goes wrong stands in the batch.
  void carry_out(DeskBatch& batch);

  // The same in steps.
  /// Rows, claims and cancel requests: durable when it returns.
  Result<void> commit(DeskBatch& batch);
  /// One task's actions, but for its drop.
  Result<void> act(DeskTask& task);
  /// All drops of the batch.
  Result<void> drop(DeskBatch& batch);

 private:
  Result<void> write(DeskBatch& batch);
  /// What is to be there before the task's row is committed.
  Result<void> prepare_row(DeskTask& task);
  Result<void> look(DeskTask& task);
  Result<void> claim(std::span<DeskTask* const> tasks);
  /// The task's row is stored, and was nobody's before.
  Result<void> take_new(DeskTask& task);
  /// There is a row.
  Result<void> claim_known(DeskTask& task);
  bool is_other_request(const RequestRow& stored, const DeskTask& task);
  bool is_owner_alive(std::string_view owner);
  void keep_in_cache(DeskBatch& batch);

  StateStore& store_;
  RequestChannel& channel_;
  std::string owner_;
  OwnerLiveness is_alive_;
  AnswerCache* cache_;
  std::optional<int> priority_;
  std::map<std::string, bool, std::less<>> liveness_;  ///< Remembered within a batch.
};

}  // namespace filecall::client
