// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "worker/exec/git/open_repository.h"

namespace filecall::worker::git {

struct StagedTree {
  git_oid id{};
  bool is_empty = true;  ///< It has no file.
};

/// The tree of what is staged, written into the repository's objects. Hidden files (file.hidden)
/// are in it as HEAD has them, whatever is staged of them: they are of no commit. `head` may be
/// null. Failure: what libgit2 says.
Result<StagedTree> write_staged_tree(const OpenRepository& repository, git_index* index,
                                     git_tree* head);

}  // namespace filecall::worker::git
