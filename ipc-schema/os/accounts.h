// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.h"

namespace filecall {

/// What the machine's database of users and groups says (nsswitch.conf(5)). Blocking.

/// "ann (uid 1001)", or "uid 1001" where the database has no such user.
std::string user_label(uid_t uid);
/// "team", or the number where the database has no such group.
std::string group_label(gid_t gid);
/// A group by its name, or by its number. Failures: not_found.
Result<gid_t> find_group(const std::string& name);
/// Whether the user belongs to the group; nullopt: there is no such user. Failures: the
/// database could not be read.
Result<std::optional<bool>> is_member(uid_t uid, gid_t gid);
/// The ranges of user ids of this process's user namespace, as user_namespaces(7) has them in
/// /proc/self/uid_map, with one space between the numbers. Empty: it cannot be read.
std::string user_map();
/// Whether this process has the rights of the group.
bool has_group(gid_t gid);

}  // namespace filecall
