// SPDX-License-Identifier: MIT
#include "client/engine/clerk.h"

#include <algorithm>
#include <utility>

#include "client/core/request_priority.h"
#include "client/core/same_request.h"

namespace filecall::client {
namespace {

// A claim that was not granted has nothing to carry out.
bool is_granted(const DeskTask& task) {
  return !task.is_claim || (task.claim && task.claim->is_new && !task.only_looks);
}

bool drops(const DeskTask& task) {
  return is_granted(task) &&
         std::any_of(task.actions.begin(), task.actions.end(),
                     [](const Action& a) { return a.kind == ActionKind::kDropRequest; });
}

bool has_writes(const DeskBatch& batch) {
  return !batch.heard_cancel_requests.empty() ||
         std::any_of(batch.tasks.begin(), batch.tasks.end(), [](const DeskTask* task) {
           return task->is_claim || task->writes_row || task->removes_row;
         });
}

}  // namespace

void Clerk::carry_out(DeskBatch& batch) {
  const auto all = [&]() -> Result<void> {
    TRY(commit(batch));
    for (DeskTask* task : batch.tasks) TRY(act(*task));
    return drop(batch);
  };
  if (const auto done = all(); !done) batch.error = done.error();
  keep_in_cache(batch);
}

Result<void> Clerk::commit(DeskBatch& batch) {
  liveness_.clear();
  if (batch.reads_cancel_requests) {
    TRY_ASSIGN(batch.cancel_requests, store_.cancel_requests());
  }
  if (!has_writes(batch)) return {};
  TRY(store_.begin());
  Result<void> written = write(batch);
  if (written) written = store_.commit();
  if (!written) store_.rollback();
  return written;
}

// The rows of a batch are of distinct requests, so their order is free.
Result<void> Clerk::write(DeskBatch& batch) {
  for (const std::string& id : batch.heard_cancel_requests) TRY(store_.forget_cancel_request(id));
  std::vector<DeskTask*> claims;
  std::vector<const RequestRow*> rows;
  for (DeskTask* task : batch.tasks) {
    if (task->is_claim && task->only_looks) {
      TRY(look(*task));
    } else if (task->is_claim) {
      claims.push_back(task);
    } else if (task->removes_row) {
      TRY(store_.remove(task->row.request_id));
    } else if (task->writes_row) {
      TRY(prepare_row(*task));
      rows.push_back(&task->row);
    }
  }
  TRY(store_.put_all(rows));
  return claim(claims);
}

Result<void> Clerk::prepare_row(DeskTask& task) {
  if (!task.own_answer.empty()) {
    TRY(channel_.keep_own_answer(task.row.request_id, task.own_answer));
  }
  for (const Action& action : task.actions) {
    const auto row =
        control_row(channel_, task.row.request_id, action, task.row.progress.changed_at);
    if (row) TRY(store_.put(*row));
  }
  return {};
}

Result<void> Clerk::look(DeskTask& task) {
  TRY_ASSIGN(auto row, store_.find(task.row.request_id));
  const bool has_ended = row && row->progress.is_settled();
  task.claim.emplace();
  task.claim->kind = has_ended ? Claim::Kind::kFinal : Claim::Kind::kForeign;
  task.is_other_request = has_ended && is_other_request(*row, task);
  if (row) task.claim->row = std::move(*row);
  return {};
}

Result<void> Clerk::claim(std::span<DeskTask* const> tasks) {
  std::vector<const RequestRow*> rows;
  rows.reserve(tasks.size());
  for (const DeskTask* task : tasks) rows.push_back(&task->row);
  TRY_ASSIGN(const std::vector<bool> is_new, store_.insert_all(rows));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    DeskTask& task = *tasks[i];
    TRY(is_new[i] ? take_new(task) : claim_known(task));
  }
  return {};
}

Result<void> Clerk::take_new(DeskTask& task) {
  if (!task.own_answer.empty()) {
    TRY(channel_.keep_own_answer(task.row.request_id, task.own_answer));
  }
  task.claim.emplace();
  task.claim->is_new = true;
  return {};
}

Result<void> Clerk::claim_known(DeskTask& task) {
  RequestRow fresh;
  fresh.request_id = task.row.request_id;
  fresh.owner = owner_;
  fresh.batch = task.row.batch;
  TRY_ASSIGN(task.claim,
             store_.claim(fresh, [this](std::string_view owner) { return is_owner_alive(owner); }));
  // Somebody has dropped a request of that id since gc removed what was there: that one is new.
  if (task.claim->kind == Claim::Kind::kCollected && channel_.has_request(task.row.request_id)) {
    TRY(store_.put(task.row));
    return take_new(task);
  }
  task.is_other_request = is_other_request(task.claim->row, task);
  if (task.is_other_request || task.claim->kind != Claim::Kind::kMine) return {};
  return store_.put(task.claim->row);
}

bool Clerk::is_other_request(const RequestRow& stored, const DeskTask& task) {
  const std::string& hash = task.row.content_hash;
  if (stored.content_hash.empty() || hash.empty() || stored.content_hash == hash) return false;
  const auto text = channel_.read_request(task.row.request_id);
  return !text || !*text || !is_same_request(**text, task.bytes);
}

bool Clerk::is_owner_alive(std::string_view owner) {
  const auto [known, is_new] = liveness_.try_emplace(std::string(owner), false);
  if (is_new) known->second = is_alive_(owner);
  return known->second;
}

Result<void> Clerk::act(DeskTask& task) {
  if (!is_granted(task)) return {};
  for (const Action& action : task.actions) {
    TRY(perform(channel_, task.row.request_id, task.row.progress, action, task.performed));
  }
  return {};
}

Result<void> Clerk::drop(DeskBatch& batch) {
  std::vector<ChannelDrop> drops;
  std::vector<DeskTask*> dropping;
  for (DeskTask* task : batch.tasks) {
    if (!client::drops(*task)) continue;
    // A continued request was dropped before, unless the client died in between.
    if (task->bytes.empty() || (!task->is_new && channel_.has_request(task->row.request_id))) {
      task->dropped = ChannelDrop::Fate::kThere;
      continue;
    }
    // The row's hash is of the text that was given: a priority is no part of what is asked.
    if (priority_) task->bytes = with_priority(task->bytes, *priority_);
    drops.push_back({task->row.request_id, task->bytes});
    dropping.push_back(task);
  }
  if (!drops.empty()) channel_.drop(drops);
  for (std::size_t i = 0; i < drops.size(); ++i) dropping[i]->dropped = drops[i].fate;
  for (ChannelDrop& drop : drops) {
    if (drop.error) return Unexpected(std::move(*drop.error));
  }
  return {};
}

void Clerk::keep_in_cache(DeskBatch& batch) {
  if (cache_ == nullptr) return;
  for (const CacheEntry& entry : batch.cache_entries) {
    cache_->store(entry.identity, entry.answer->data,
                  [&batch](const std::string& text) { batch.notices.push_back(text); });
  }
}

}  // namespace filecall::client
