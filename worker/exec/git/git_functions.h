// SPDX-License-Identifier: MIT
#pragma once

#include "worker/exec/file/file_command.h"

namespace filecall::worker::git {

/// The commands of the family. Their params and answers are in ipc-schema/schema (command.git.*,
/// result.git.*). They block, on a thread of the pool.

Outcome run_status(const file::FileJob& job);
Outcome run_diff(const file::FileJob& job);
Outcome run_log(const file::FileJob& job);
Outcome run_branch(const file::FileJob& job);
Outcome run_worktree(const file::FileJob& job);
Outcome run_commit(const file::FileJob& job);
Outcome run_merge_preview(const file::FileJob& job);

}  // namespace filecall::worker::git
