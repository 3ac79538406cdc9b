// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/durability.h"
#include "spool/answers.h"
#include "spool/journaled_answers.h"
#include "spool/medium.h"
#include "spool/root.h"

namespace filecall::spool {

/// A root's files as a Medium: answers one by one, or through the journal.
class RootMedium final : public Medium {
 public:
  /// `root` must outlive it. The caller holds the root's worker lock.
  RootMedium(const Root& root, Durability durability);

  /// Brings the files that an earlier run left into order, before anything is written: temporaries,
  /// the journal, the start records. Returns requests that were started and never answered.
  Result<std::vector<StartRecordName>> recover();
  /// Somebody deleted a response: a power cut must not bring it back. Cheap without a journal.
  void note_withdrawn(std::string_view stem);

  bool is_blocking() const override { return answers_.durability() != Durability::kNone; }
  Result<void> record_start(const StartRecordName& record, std::string_view json) override;
  Result<void> forget_start(const StartRecordName& record) override;
  Result<Publication> publish(std::string_view stem, std::string_view bytes,
                              const std::optional<StartRecordName>& record) override;
  Result<void> sync_published() override { return answers_.sync_published(); }
  Result<void> keep_late(std::string_view stem, std::string_view bytes) override;

  bool is_grouped() const override { return journaled_.has_value(); }
  void stage(PendingWrite& write) override { journaled_->stage(write); }
  void log(std::span<PendingWrite> writes) override { journaled_->log(writes); }
  void publish_logged(std::span<PendingWrite> writes) override {
    journaled_->publish_logged(writes);
  }
  bool wants_checkpoint() const override { return journaled_ && journaled_->wants_checkpoint(); }
  bool has_journal() const override { return journaled_ && journaled_->has_records(); }
  Result<void> checkpoint() override;
  Result<void> rest() override;

 private:
  const Root& root_;
  Answers answers_;
  std::optional<JournaledAnswers> journaled_;
};

}  // namespace filecall::spool
