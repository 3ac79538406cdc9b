// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "worker/exec/file/file_tree.h"

namespace filecall::worker::git {

/// Looks at every name in a repository's own directory before libgit2 opens any. A link must lead
/// to a place beneath the roots, and nothing may be there that is neither file nor directory: to
/// open a FIFO would wait for ever. What git alone uses (hooks, modules) is passed over.
/// `link` becomes the name of a link that was found. Failures: permission_denied,
/// failed_precondition. Blocks; any thread.
Result<void> check_repository_parts(const file::FileRules& rules, const file::OpenPlace& directory,
                                    std::string& link);

/// The same of objects/info/alternates, and of those that these name. Failure: permission_denied,
/// objects beneath no root.
Result<void> check_alternates(const file::FileRules& rules, const file::OpenPlace& common);

/// Whether all files named .gitignore and .gitattributes in a worktree are regular ones: libgit2
/// opens them by their name, through links, and would wait for a FIFO. Failure:
/// failed_precondition.
Result<void> check_worktree_parts(const file::FileRules& rules, const file::OpenPlace& worktree);

}  // namespace filecall::worker::git
