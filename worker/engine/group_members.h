// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>

#include "base/result.h"
#include "base/time.h"
#include "spool/arrival.h"

namespace filecall::worker {

/// Who may ask in a group's root: its members, the worker's own user and root. The kernel lets only
/// these write into requests/; what came there in another way (a directory that was open before, a
/// link to somebody's file) shows by its owner. Asks the machine's database once a minute for
/// each user, which blocks; of a user whom it does not know the file's group decides. While it
/// cannot be read, what it said before holds, and who is new may not ask.
class GroupMembers {
 public:
  /// Whether a user belongs to the group; nullopt: no such user is known. Failure: nobody can say.
  using Look = std::function<Result<std::optional<bool>>(uid_t)>;
  GroupMembers(gid_t group, uid_t own, Look look)
      : group_(group), own_(own), look_(std::move(look)) {}

  bool may_ask(const spool::FileOwner& owner, MonotonicTime now);

 private:
  struct Known {
    std::optional<bool> is_member;
    MonotonicTime until;
  };
  gid_t group_;
  uid_t own_;
  Look look_;
  std::map<uid_t, Known> known_;
};

}  // namespace filecall::worker
