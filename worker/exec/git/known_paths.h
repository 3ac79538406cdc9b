// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/exec/git/open_repository.h"

namespace filecall::worker::git {

/// Where a path may be known from.
struct PathSources {
  std::vector<git_tree*> trees{};  ///< Null ones count for nothing.
  git_index* index = nullptr;
  bool has_files = false;  ///< The worktree's.
};

/// Failure: not_found, one of `paths` is in none of them, or is hidden: the answer would be empty
/// for a slip of the pen. Blocks.
Result<void> check_known_paths(const OpenRepository& repository,
                               const std::vector<std::string>& paths, const PathSources& sources);

}  // namespace filecall::worker::git
