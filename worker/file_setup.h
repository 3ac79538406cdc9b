// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "worker/config/config.h"

namespace filecall::worker {

/// The configuration of file.* as this machine has it: paths absolute, and what is the worker's own
/// named. Failure: invalid_argument, a directory that may be changed is "/" or the home directory
/// and nobody accepts that (--allow-home), or lies beneath no root.
Result<file::FileConfig> complete_file_config(const Config& config);

/// Directories of file.roots and file.writable that are not there, each with what to do.
std::vector<std::string> missing_file_roots(const file::FileConfig& config);

}  // namespace filecall::worker
