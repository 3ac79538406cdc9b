// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "worker/changes/change_journal_file.h"
#include "worker/exec/file/file_command.h"
#include "worker/exec/git/open_repository.h"

namespace filecall::worker::git {

/// The record (worker/changes) that HEAD's branch is to go to a commit. When the worker dies, the
/// next one sees by it whether the branch went there, and answers. Blocks; one thread.
class CommitRecord {
 public:
  /// Durable when this returns. `answer`: what the request is answered when the branch goes there.
  /// Failures: errno's; failed_precondition, HEAD is no branch and no commit.
  static Result<CommitRecord> begin(const file::FileJob& job, const OpenRepository& repository,
                                    const git_oid& commit, const Json& answer);
  /// Whether the branch went there.
  void end(bool is_made);

 private:
  explicit CommitRecord(changes::ChangeJournalFile journal) : journal_(std::move(journal)) {}

  changes::ChangeJournalFile journal_;
};

}  // namespace filecall::worker::git
