// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/changes/change_directories.h"
#include "worker/changes/change_journal_file.h"
#include "worker/changes/change_set.h"

namespace filecall::worker::changes {

/// What a set of changes is made with. The members that are views outlive the call.
struct ChangeWork {
  const ChangeSet& set;
  /// The open directory of each step; of one that is to be made, the nearest one above it.
  std::vector<StepDirectory> directories;
  /// Below that, what is to be made of the way to the step's directory; "" when it is there.
  std::vector<std::string> missing;
  /// Puts the new content of a step (its number) under its name beside, in that directory, durable
  /// when it returns. Not called for kRemove.
  std::function<Result<void>(std::size_t step, int directory)> write_aside;
  /// Asked until the first file is changed.
  std::function<bool()> is_cancelled;
};

/// Why a set of changes was not made.
struct ChangeFailure {
  Error error;
  /// Empty: all files are as before. Else what became of each file, a sentence each; the record
  /// stays, and the next start of a worker tries again.
  std::vector<std::string> torn;
};

/// Makes a set of changes: all of it, durable when this returns, or none. Its record in `folder`
/// (change_journal_file.h) stays, with how it ended. Blocks; any thread; nobody else in this
/// process changes the same names meanwhile.
Result<void, ChangeFailure> make_changes(const std::string& folder, const ChangeWork& work);

/// Brings what an earlier run left unfinished to an end, and removes what lies beside the files of
/// one that ended. Says how it ended, and of kTorn what became of each file; the record says the
/// same, where that can be written. Nobody else in this process changes anything meanwhile. Blocks.
struct FinishedChanges {
  ChangeEnd end = ChangeEnd::kTorn;
  std::vector<std::string> files;
};
FinishedChanges finish_changes(ChangeJournalFile& journal);

}  // namespace filecall::worker::changes
