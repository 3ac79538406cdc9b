// SPDX-License-Identifier: MIT
#include "worker/engine/group_members.h"

namespace filecall::worker {
namespace {

constexpr Duration kMembershipLasts = seconds(60);
/// Far more than the users of a group; then all are asked again.
constexpr std::size_t kKnownUsersMax = 10'000;

}  // namespace

bool GroupMembers::may_ask(const spool::FileOwner& owner, MonotonicTime now) {
  if (owner.user == own_ || owner.user == 0) return true;
  auto found = known_.find(owner.user);
  if (found == known_.end() || found->second.until <= now) {
    const auto looked = look_(owner.user);
    // What was known before is better than nothing; who was never known may not ask.
    if (!looked) return found != known_.end() && found->second.is_member.value_or(false);
    if (known_.size() >= kKnownUsersMax) known_.clear();
    const Known fresh{*looked, now + kMembershipLasts};
    found = known_.insert_or_assign(owner.user, fresh).first;
  }
  return found->second.is_member.value_or(owner.group == group_);
}

}  // namespace filecall::worker
