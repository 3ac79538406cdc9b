// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>

#include "base/check.h"
#include "client/engine/clerk.h"
#include "client/engine/desk.h"

namespace filecall::simulation {

/// Whether a desk does its work in the right order; the wrong one is planted to show that it is
/// found.
enum class DeskFault { kNone, kActsBeforeCommit };

/// A desk without a thread: the test says when each step happens, and may destroy everything
/// between any two, as a death would.
class ManualDesk final : public client::Desk {
 public:
  explicit ManualDesk(client::Clerk clerk, DeskFault fault = DeskFault::kNone)
      : clerk_(std::move(clerk)), fault_(fault) {}

  void hand_in(client::DeskBatch& batch) override {
    CHECK(batch_ == nullptr && !is_done_, "one batch at a time");
    batch_ = &batch;
    step_ = 0;
    if (is_inline_) finish();
  }
  bool take_back() override { return std::exchange(is_done_, false); }
  void wait() override {}
  int poll_fd() const override { return -1; }

  /// Batches are done as they come.
  void work_inline() { is_inline_ = true; }
  bool has_batch() const { return batch_ != nullptr; }
  const client::DeskBatch* batch() const { return batch_; }

  /// The commit, one task's actions, or all drops.
  void step() {
    const std::size_t tasks = batch_->tasks.size();
    // A claim that is not decided yet grants nothing: the wrong order is only one for the others.
    const bool is_late = fault_ == DeskFault::kActsBeforeCommit && !has_claims();
    const std::size_t commit_at = is_late ? tasks : 0;
    Result<void> done;
    if (step_ == commit_at) {
      done = clerk_.commit(*batch_);
    } else if (step_ <= tasks) {
      done = clerk_.act(*batch_->tasks[step_ < commit_at ? step_ : step_ - 1]);
    } else {
      done = clerk_.drop(*batch_);
    }
    if (!done) batch_->error = done.error();
    if (++step_ <= tasks + 1 && done) return;
    batch_ = nullptr;
    is_done_ = true;
  }
  void finish() {
    while (has_batch()) step();
  }

 private:
  bool has_claims() const {
    for (const client::DeskTask* task : batch_->tasks) {
      if (task->is_claim) return true;
    }
    return false;
  }

  client::Clerk clerk_;
  DeskFault fault_;
  client::DeskBatch* batch_ = nullptr;
  std::size_t step_ = 0;
  bool is_done_ = false;
  bool is_inline_ = false;
};

}  // namespace filecall::simulation
