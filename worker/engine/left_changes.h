// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "spool/layout.h"
#include "worker/core/start_record.h"
#include "worker/exec/executor.h"

namespace filecall::worker {

/// The records of changes of files (worker/changes) of a root: what an earlier run left there, and
/// the end of each. One thread, but for forget().
class LeftChanges {
 public:
  explicit LeftChanges(const spool::Layout& layout);

  /// Brings all that an earlier run left to an end, before anything else is changed. `left`: what
  /// was started and never answered; `is_pending`: whether a request waits for its answer. Blocks.
  /// Failure: the folder cannot be read.
  Result<void> finish(std::span<const spool::StartRecordName> left,
                      const std::function<bool(std::string_view)>& is_pending);

  /// What the start of a request by an earlier run came to, when that is known. Given once.
  std::optional<Outcome> take(std::string_view stem);
  bool has(std::string_view stem) const { return outcomes_.contains(stem); }

  /// Whether an answer leaves a record behind. `start`: what was recorded of its start.
  bool leaves_record(std::string_view stem, const std::optional<StartRecord>& start) const;
  /// Removes the record of a request that is answered, if its changes ended; else the next start of
  /// a worker tries again. Blocks; any thread, one at a time for a request.
  void forget(const std::string& stem) const;

 private:
  void finish_one(const std::string& stem, bool is_asked);
  void note_unbegun(const spool::StartRecordName& start);

  spool::Layout layout_;
  std::map<std::string, Outcome, std::less<>> outcomes_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace filecall::worker
