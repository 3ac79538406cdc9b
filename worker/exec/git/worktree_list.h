// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/exec/git/repository_layout.h"

namespace filecall::worker::git {

/// Where a directory lies: below a root, without links.
struct Location {
  std::size_t root = 0;   ///< Of FileConfig::roots.
  std::string root_path;  ///< The root without links.
  std::string path;       ///< Below it; "." for the root.

  std::string whole() const;
};
Location location_of(const file::OpenPlace& place);

/// A worktree that a repository knows.
struct KnownWorktree {
  std::string name;   ///< Of git's notes about it (.git/worktrees/NAME); empty: the main one.
  std::string notes;  ///< Their directory, absolute; of the main one `.git`.
  std::optional<Location> place;  ///< nullopt: it is gone, hidden, or lies beneath no root.
  std::string gone;               ///< Where it was, absolute, when nothing is there any more.
  std::string branch;             ///< "refs/heads/..."; empty: none is checked out.
  std::string commit;             ///< Of a worktree without a branch, as HEAD says it.
  bool is_locked = false;
};

/// All worktrees, the main one first; a bare repository has none of its own. Reads git's notes and
/// opens nothing in a worktree. Blocks; any thread.
Result<std::vector<KnownWorktree>> list_worktrees(const file::FileRules& rules,
                                                  const RepositoryLayout& layout);

}  // namespace filecall::worker::git
