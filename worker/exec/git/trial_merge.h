// SPDX-License-Identifier: MIT
#pragma once

#include <git2/oid.h>

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/git/change_list.h"

namespace filecall::worker::git {

/// A merge that was made in memory alone.
struct TrialMerge {
  git_oid base{};
  std::string_view result;  ///< "up_to_date", "fast_forward" or "merge", whether clean or not.
  IndexHandle index;        ///< The merged files; conflicts are in it.
  /// False: files that were renamed and changed are too large to be compared.
  bool follows_renames = true;
  /// Files of directories that the other side has moved (moved_directories.h): conflicts as well.
  std::vector<std::string> misplaced;
};

/// What `theirs` merged into `ours` would come to. Writes nothing: what libgit2 makes on the way is
/// kept in memory. Programs that attributes name (merge=...) count for nothing. Failures:
/// failed_precondition (no common ancestor; a file that both sides changed is larger than
/// file.limits.file_bytes), cancelled.
Result<TrialMerge> try_merge(const OpenRepository& repository, const git_commit* ours,
                             const git_commit* theirs, const std::atomic<bool>& is_cancelled);

}  // namespace filecall::worker::git
