// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/exec/git/change_list.h"
#include "worker/exec/git/file_sides.h"

namespace filecall::worker::git {

/// What becomes of a path in a commit and in the index.
struct TakenFile {
  bool is_there = false;    ///< Else it is removed.
  git_index_entry entry{};  ///< Without its path.
};

/// Files of the worktree that differ from HEAD, ready to be committed.
struct TakenFiles {
  std::map<std::string, TakenFile> files;
  /// Not taken: repositories of their own in the worktree.
  std::vector<std::string> repositories;
};

/// Takes what differs between HEAD and the files below `paths` (empty: all), writes the contents
/// into the repository's objects and changes nothing else. What is hidden or ignored is not taken.
/// Failures: not_found (a path that is neither in the worktree nor in HEAD); failed_precondition
/// (a file that is too large, or that a program of the repository would change: filter=...).
Result<TakenFiles> take_files(const OpenRepository& repository, git_index* index, git_tree* head,
                              const std::vector<std::string>& paths,
                              const std::atomic<bool>& is_cancelled);

/// Puts them into an index, in place of what it has at their paths. Failure: what libgit2 says.
Result<void> put_files(git_index* index, const TakenFiles& taken);

}  // namespace filecall::worker::git
