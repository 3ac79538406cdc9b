// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "spool/answers.h"
#include "spool/journal.h"
#include "spool/root.h"
#include "spool/source.h"

namespace filecall::spool {

/// Answers and start records under durability "journal": written unsynced, logged and synced as a
/// group, and only then renamed into responses/. So nothing is visible that is not in the log, and
/// no start happens that is not.
///
/// One thread at a time calls commit(); all other functions from any thread. All block.
class JournaledAnswers {
 public:
  /// Both must outlive it.
  JournaledAnswers(const Root& root, Answers& answers) : root_(root), answers_(answers) {}

  /// See Source.
  void commit(std::span<Posting> postings);
  bool wants_checkpoint() const;
  Result<void> checkpoint();
  Result<void> rest();

  /// See Journal.
  void note_withdrawn(std::string_view stem);
  bool has_records() const;

 private:
  struct Staged;
  std::shared_ptr<Journal> journal() const;
  Result<std::shared_ptr<Journal>> journal_of(const std::shared_ptr<const Directories>& at);
  Result<Publication> publish(const Directories& at, const Staged& staged);

  const Root& root_;
  Answers& answers_;
  mutable std::mutex mutex_;  ///< Guards the pointer.
  std::shared_ptr<Journal> journal_;
};

}  // namespace filecall::spool
