// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "worker/exec/file/file_rules.h"

namespace filecall::worker::git {

/// The library that reads repositories, e.g. "1.5.1".
std::string git_library_version();

/// Whether git.* take the repository whose top `path` is. Failures: those of find_repository();
/// what libgit2 does not open. Blocks; any thread.
Result<void> check_repository(const file::FileRules& rules, const std::string& path);

}  // namespace filecall::worker::git
