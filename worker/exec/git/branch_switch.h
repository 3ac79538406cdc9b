// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "worker/exec/file/file_command.h"
#include "worker/exec/git/open_repository.h"

namespace filecall::worker::git {

/// `git.branch` with the action switch: puts the files of a branch into the worktree. Nothing is
/// changed when a file that differs between the two branches has local changes, or when something
/// that git does not know lies where a file would come.
Outcome switch_branch(const file::FileJob& job);

/// Where a branch ("refs/heads/NAME") is checked out, as answers name it; "" when it may not be
/// named; nullopt: nowhere.
std::optional<std::string> worktree_of(const OpenRepository& repository, const std::string& branch);
/// Where a worktree with a branch was whose directory is gone, as a request may name it; empty:
/// there is none, or it lay beneath no root.
std::string gone_worktree_of(const OpenRepository& repository, const std::string& branch);

/// A local branch by its name. Failures: not_found, invalid_argument.
Result<ReferenceHandle> find_branch(const OpenRepository& repository, const std::string& name,
                                    std::string_view pointer);

}  // namespace filecall::worker::git
