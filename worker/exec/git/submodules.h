// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "worker/exec/git/open_repository.h"

namespace filecall::worker::git {

/// Submodules of the index that have files in the worktree, below `paths` (empty: all), without
/// hidden ones. Nobody looks into them: at which commit they are is not known here. Blocks.
Result<std::vector<std::string>> checked_out_submodules(const OpenRepository& worktree,
                                                        const std::vector<std::string>& paths,
                                                        bool takes_hidden = false);

/// Puts those that were not looked at into an answer, as `submodules_not_checked`. Without one it
/// stays as it is; else it is not complete.
Result<void> add_unchecked_submodules(const OpenRepository& worktree,
                                      const std::vector<std::string>& paths, Json& out);

}  // namespace filecall::worker::git
