// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"
#include "worker/exec/tool/tool_policy.h"

namespace filecall::worker {

/// What tool.run asks of the machine before it starts a program.

/// A directory to run in, and the bounds that the request set itself.
struct OpenWorkplace {
  UniqueFd directory;
  std::string bounds;  ///< Absolute and without links; empty: it set none.
};

/// Opens the directory beneath its root, and beneath its bounds (openat2, RESOLVE_BENEATH): no
/// "..", no link leads out of them, however it is raced. Failures: permission_denied (leads out),
/// not_found, failed_precondition (not a directory); messages start with "/params/cwd", or with
/// "/params/beneath".
Result<OpenWorkplace> open_workplace(const Workplace& workplace);

/// The file that `program` names: itself when it holds a '/', else the first executable file of
/// that name in `path` (as in $PATH; entries that are not absolute are skipped).
/// Failure: not_found.
Result<std::string> find_program(std::string_view program, std::string_view path);
/// Whether the worker may execute it: a regular file, links followed.
bool is_executable_file(const std::string& path);

/// The worker's own environment and directory, read once at start.
std::map<std::string, std::string> read_environment();
/// PATH of `environment`, where programs are searched; without one, kDefaultToolPath. A view of it.
std::string_view search_path(const std::map<std::string, std::string>& environment);
Result<std::string> current_directory();

}  // namespace filecall::worker
