// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/tool/tool_config.h"

namespace filecall::worker {

/// Which of the programs that are allowed run other programs, or programs of their own language,
/// that their arguments name: to allow one of them is to allow everything. As "git, sh"; empty:
/// none. Pure.
std::string names_that_run_anything(const std::vector<std::string>& allow);

/// Refuses the whole home directory and "/" as roots of tools, unless allow_home, as soon as any
/// tool may run. `home` empty: it is not known.
Result<void> check_tool_roots(const ToolConfig& config, const std::string& home);
/// The roots that are no directories, each as a sentence that says what to do; none as long as no
/// tool may run.
std::vector<std::string> missing_tool_roots(const ToolConfig& config);
/// The programs of declared tools and of tool.allow that are no executable file, each as a sentence
/// that says what to do. Names are looked up in `path` (as in $PATH). A relative path counts from
/// where a request runs, so nothing is said of it.
std::vector<std::string> missing_tool_programs(const ToolConfig& config, std::string_view path);

}  // namespace filecall::worker
