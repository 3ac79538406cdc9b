// SPDX-License-Identifier: MIT
#pragma once

#include "worker/exec/file/file_command.h"

namespace filecall::worker::git {

/// `git.worktree` with the action remove: the directory of a linked worktree and git's notes of it.
/// Without `force` a worktree stays that has changes, files that git does not know, or submodules
/// with files. Ignored files go with it, as with git. Its branch stays.
Outcome remove_worktree(const file::FileJob& job);

}  // namespace filecall::worker::git
