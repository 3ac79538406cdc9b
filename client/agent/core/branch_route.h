// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "client/agent/core/call_route.h"
#include "client/agent/core/run_branch.h"
#include "ipc/json.h"

namespace filecall::client {

/// The same call in the worktree of a run: paths that count from the repository's top count from
/// the worktree's, programs run there, and git.* is asked about it. What names the worktree already
/// stays, so that nothing happens twice. All of them are kept from links that lead out of the
/// worktree, and a sandbox lets programs write in it alone.
/// Failures: invalid_argument, a path leads out of it; failed_precondition, it would take the
/// worktree or the branch away. Pure.
Result<CallRoute> in_worktree(CallRoute route, const RunBranch& branch);

/// What an answer says, with paths as they are in the repository: a model sees the names that it
/// uses. Pure.
Json out_of_worktree(const Json& answer, const RunBranch& branch);
std::string out_of_worktree(std::string text, const RunBranch& branch);

}  // namespace filecall::client
