// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "worker/exec/git/open_repository.h"

namespace filecall::worker::git {

/// `paths` of a request, checked (checked_paths); empty: all.
Result<std::vector<std::string>> paths_param(const OpenRepository& repository, const Json& params);

/// What answers say of a repository first: `repository`, `branch` (null: none is checked out) and
/// `head` (null: there is no commit yet).
Json head_json(const OpenRepository& repository, const git_commit* head);

/// "refs/heads/NAME" of HEAD; empty: HEAD names a commit by itself.
std::string head_branch(const OpenRepository& repository);

/// NAME of "refs/heads/NAME", in UTF-8.
std::string short_branch(std::string_view reference);

/// Who made a commit and when: {"name", "email", "time"}.
Json signature_json(const git_signature* signature);

}  // namespace filecall::worker::git
