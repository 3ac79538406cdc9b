// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "spool/journal.h"
#include "spool/medium.h"
#include "spool/root.h"

namespace filecall::spool {

/// Answers and start records under durability "journal": written unsynced, logged and synced as a
/// group, and only then renamed into responses/. So nothing is visible that is not in the log, and
/// no start happens that is not.
///
/// All functions from any thread; but a group, from log() to publish_logged(), only when the one
/// before has ended. Only log(), checkpoint() and rest() wait for the disk.
class JournaledAnswers {
 public:
  /// `root` must outlive it.
  explicit JournaledAnswers(const Root& root) : root_(root) {}

  /// See Medium.
  void stage(PendingWrite& write);
  void log(std::span<PendingWrite> writes);
  void publish_logged(std::span<PendingWrite> writes);
  bool wants_checkpoint() const;
  Result<void> checkpoint();
  Result<void> rest();

  /// See Journal.
  void note_withdrawn(std::string_view stem);
  bool has_records() const;

 private:
  std::shared_ptr<Journal> journal() const;
  Result<std::shared_ptr<Journal>> journal_of(const std::shared_ptr<const Directories>& at);
  Result<Publication> publish(const PendingWrite& write);

  const Root& root_;
  mutable std::mutex mutex_;  ///< Guards the pointer.
  std::shared_ptr<Journal> journal_;
};

}  // namespace filecall::spool
