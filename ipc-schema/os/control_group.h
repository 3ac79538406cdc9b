// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

/// Control groups (cgroup v2): see cgroups(7).
namespace filecall {

/// The group of a process by its /proc/PID/cgroup, from the root of the hierarchy; empty: it is in
/// none of version 2, or in one that cannot be seen from here. Pure.
std::string control_group_of(std::string_view proc_cgroup);

/// Where that group lies as a folder, by /proc/self/mountinfo; empty: nowhere. Pure.
std::string control_group_folder(const std::string& group, std::string_view mountinfo);

/// What decides whether a group is this process's to make groups in.
struct GroupFacts {
  bool is_marked = false;  ///< The service manager says so (Delegate=).
  bool is_namespace_root = false;
  bool is_superuser = false;
  bool may_write = false;         ///< It, and its cgroup.procs.
  bool may_write_parent = false;  ///< Who may do that was given more than this group.
};

/// The superuser may write to every group, and a user's service manager's user to all of its own:
/// that alone gives none of them away. Pure.
bool is_delegated(const GroupFacts& facts);

/// The folder of the group of this process, if it was given to it: it may make groups in it, move
/// its own processes there, and end all that is in one at once (cgroup.kill); this is tried.
/// Failure: failed_precondition, says what is missing, in a few words.
Result<std::string> find_delegated_group();

}  // namespace filecall
