// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/exec/git/git_handles.h"

namespace filecall::worker::git {

/// Commits, in the order of `git log`: the latest first, never one before those that were read of
/// its children.
struct History {
  std::vector<CommitHandle> commits;
  std::size_t looked_at = 0;
  bool is_complete = true;  ///< There are no more.
  bool is_shallow = false;  ///< Commits further back are not in the repository.
};

/// The commits that lead to `from`, at most `max`. With a path those that changed it, as `git log
/// PATH` chooses them: of a merge it follows the side from which the path came as it is. Failures:
/// an object that is missing; cancelled.
Result<History> read_history(git_repository* repository, CommitHandle from, const std::string& path,
                             std::size_t max, const std::atomic<bool>& is_cancelled);

}  // namespace filecall::worker::git
