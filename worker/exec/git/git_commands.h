// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/executor.h"
#include "worker/exec/file/file_config.h"

namespace filecall::worker::git {

/// All commands of the family `git`: they work on repositories beneath file.roots, with libgit2 and
/// without the program git. `schema_of` gives the schema of a command's params, which lives as long
/// as the process. Failure: invalid_argument, a pattern of the configuration.
Result<std::vector<std::unique_ptr<Executor>>> make_git_commands(
    uv_loop_t* loop, file::FileConfig config,
    const std::function<std::string_view(std::string_view)>& schema_of);

}  // namespace filecall::worker::git
