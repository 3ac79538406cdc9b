// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

/// Control groups (cgroup v2) of tool runs: one for each, in the group that was given to the
/// worker. Its guard makes and removes it (guard/run_group.h).
namespace filecall::worker {

/// Whose a group is: "filecall-PIDS-WORKER-GUARD". Process ids mean something in one process
/// namespace only, so its number stands before them.
struct ToolGroupName {
  std::uint64_t process_namespace = 0;
  pid_t worker = -1;
  pid_t guard = -1;

  bool operator==(const ToolGroupName&) const = default;
};

/// The name without the guard. Pure.
std::string tool_group_prefix(std::uint64_t process_namespace, pid_t worker);
/// Pure.
std::optional<ToolGroupName> parse_tool_group(std::string_view name);

/// What the paths of the groups of this worker's runs begin with; also ends what a worker has left
/// that is no more, in groups that nobody else removes. `wants_limits`: tries to get the
/// controllers of memory and processes, for which this process goes into a group of its own beneath
/// the one that it was given; without them limits hold for single processes alone. Failure: as
/// find_delegated_group(); there are no groups then.
Result<std::string> prepare_tool_groups(bool wants_limits);

/// Of a run whose guard is lost: kills what is in its group, and removes it. True when it is not
/// there any more; else it is to be repeated.
bool end_run_group(const std::string& prefix, pid_t guard);

}  // namespace filecall::worker
