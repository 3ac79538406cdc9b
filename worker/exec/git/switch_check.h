// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <set>
#include <string>

#include "base/result.h"
#include "ipc/response.h"
#include "worker/exec/file/place_locks.h"
#include "worker/exec/git/change_list.h"

namespace filecall::worker::git {

/// What a switch from one tree to another does to the worktree.
struct SwitchPlan {
  std::set<std::string> changed;  ///< All paths that differ, hidden ones as well.
  std::set<std::string> added;    ///< Those that are only in the new tree.
};

/// Failures: permission_denied (a protected file would change); failed_precondition (a program of
/// the repository would have to make a file: filter=...).
Result<SwitchPlan> plan_switch(const OpenRepository& repository, git_tree* before, git_tree* after,
                               const git_commit* after_commit,
                               const std::atomic<bool>& is_cancelled);

/// Keeps file.* of this worker from the files until it is destroyed. They hold places of files, and
/// never wait for a repository: so nobody waits for each other for ever.
file::PlaceLocks::Held hold_files(const OpenRepository& repository, const SwitchPlan& plan);

/// Whether nothing that is not in a commit would be lost. Failure: failed_precondition; its details
/// name the paths ("paths", those that may be shown, and "left_out").
Result<void, Failure> check_switch(const OpenRepository& repository, const SwitchPlan& plan,
                                   const std::atomic<bool>& is_cancelled);

/// The paths of `mine` that are in `theirs`, lie below one of them, or above one. Pure.
std::set<std::string> paths_in_the_way(const std::set<std::string>& mine,
                                       const std::set<std::string>& theirs);

}  // namespace filecall::worker::git
