// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "spool/layout.h"
#include "spool/root.h"

namespace filecall::spool {

/// A root into which the members of a group drop requests, as its worker made it: each folder has
/// the owner and the group of `users/`, whose sticky and set-group-ID bits say that it is one. A
/// member writes to requests/ and to a home of its user, below users/; all else is the worker's.
struct GroupRoot {
  uid_t owner = 0;
  gid_t group = 0;
  /// Where this user's client keeps its state; may not be there yet.
  std::string home;
};

/// A folder of such a root, and what its mode must be.
struct GroupFolder {
  std::string_view parent;  ///< Empty: the root.
  std::string_view name;
  mode_t mode = 0;
  UniqueFd Directories::*place = nullptr;  ///< Where a worker keeps it open.

  std::string path(const Layout& layout) const;
};

/// Something about a group's root that lets its members do more than they may, or less.
struct GroupComplaint {
  std::string path;
  std::string text;
  std::string advice;
};

/// nullopt: it is no such root.
std::optional<GroupRoot> find_group_root(const std::string& root);
/// The layout of a root as this user's client sees it: of a group's root with the user's home.
Layout layout_of(const std::string& root);

/// All that is wrong with the modes, owners and groups of such a root; the first is the worst.
std::vector<GroupComplaint> group_complaints(const std::string& root, const GroupRoot& group);

/// Makes or corrects the folders of a root that this process is to serve for `group`, and opens
/// them. Files in it stay as they are. Failures: permission_denied (another user's; not a member of
/// the group), failed_precondition (a symbolic link).
Result<std::shared_ptr<const Directories>> prepare_group_root(const Layout& layout, gid_t group);

/// Opens such a root for a client of this user, and makes the user's home if `creates`. Failures:
/// permission_denied: the first of group_complaints(), no member of the group, or (`accepts_owner`
/// false) another user's.
Result<std::shared_ptr<const Directories>> open_group_root(const Layout& layout,
                                                           const GroupRoot& group,
                                                           bool accepts_owner, bool creates);

}  // namespace filecall::spool
