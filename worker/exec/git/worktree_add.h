// SPDX-License-Identifier: MIT
#pragma once

#include "worker/exec/file/file_command.h"

namespace filecall::worker::git {

/// `git.worktree` with the action add: a new directory with the files of a branch, which is checked
/// out nowhere else. When it cannot be finished, nothing of it stays but directories above it.
Outcome add_worktree(const file::FileJob& job);

}  // namespace filecall::worker::git
