// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "worker/exec/git/git_handles.h"

namespace filecall::worker::git {

/// Whether a text may name a commit: a branch, a tag, an id or a part of one, HEAD, each with "~2"
/// or "^2" behind it. What git knows beyond that (":path", "^{/text}", "@{date}") is not taken: it
/// names other things, or searches. Pure.
bool is_revision(std::string_view text);

/// The commit that it names. Failures: invalid_argument (no revision, an id that several objects
/// have), not_found. Messages begin with `pointer`.
Result<CommitHandle> find_commit(git_repository* repository, const std::string& revision,
                                 std::string_view pointer);

/// HEAD's commit; null: there is none yet.
Result<CommitHandle> head_commit(git_repository* repository);

/// The files of a commit; null: the commit is null.
Result<TreeHandle> tree_of(const git_commit* commit);

}  // namespace filecall::worker::git
