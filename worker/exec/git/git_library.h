// SPDX-License-Identifier: MIT
#pragma once

#include <git2/oid.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace filecall::worker::git {

/// Prepares libgit2 for repositories that nobody trusts, once a process: no configuration but
/// what make_config() gives it, and objects and references are synced to the disk. Any thread.
void prepare_git_library();

/// What a call of libgit2 that returned `status` failed with: "WHAT: its message". Any thread, the
/// one that called.
Unexpected<Error> git_failed(int status, std::string_view what);

/// 40 hexadecimal digits.
std::string hex(const git_oid& id);

/// Whether it stands for nothing (no object).
bool is_no_object(const git_oid& id);

}  // namespace filecall::worker::git
