// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "worker/exec/file/file_change.h"
#include "worker/exec/git/open_repository.h"

namespace filecall::worker::git {

/// Writes what git keeps of a worktree (.git/worktrees/NAME: HEAD, commondir, gitdir) and the
/// gitfile in its new, empty directory, durable when it returns. Returns NAME, which is that of the
/// directory, with a number when another worktree has it. Failure: errno's; then no notes stay.
Result<std::string> write_worktree_notes(const OpenRepository& repository, const Location& location,
                                         const file::ChangePlace& place, const std::string& branch);

/// Removes .git/worktrees/NAME. Failure: errno's.
Result<void> remove_worktree_notes(const OpenRepository& repository, const std::string& name);

/// A directory's name as git's notes may be called. Pure.
std::string notes_name(std::string_view directory);

}  // namespace filecall::worker::git
