// SPDX-License-Identifier: MIT
#include "worker/core/user_limits.h"

#include "base/check.h"

namespace filecall::worker {

UserUse::Use UserUse::use_of(const Asker& asker) const {
  const auto found = uses_.find(asker);
  return found == uses_.end() ? Use{} : found->second;
}

void UserUse::count(const Asker& asker, int waiting, int running) {
  if (limits_.running_max == 0 && limits_.waiting_max == 0) return;
  Use& use = uses_[asker];
  CHECK(waiting >= 0 || use.waiting > 0, "what stops waiting has waited");
  CHECK(running >= 0 || use.running > 0, "what ends has run");
  use.waiting += static_cast<std::size_t>(waiting);
  use.running += static_cast<std::size_t>(running);
  if (use.waiting == 0 && use.running == 0) uses_.erase(asker);
}

}  // namespace filecall::worker
