// SPDX-License-Identifier: MIT
#include "worker/core/fair_queue.h"

#include <algorithm>

#include "base/check.h"

namespace filecall::worker {

void FairQueue::insert(const Asker& asker, int priority, JobId id) {
  const bool is_new = roots_[asker.root][asker.user].insert({priority, id}).second;
  CHECK(is_new, "a job waits once");
  ++size_;
}

void FairQueue::erase(const Asker& asker, int priority, JobId id) {
  const auto root = roots_.find(asker.root);
  CHECK(root != roots_.end(), "only what waits leaves the queue");
  Users& users = root->second;
  const auto user = users.find(asker.user);
  CHECK(user != users.end() && user->second.erase({priority, id}) == 1,
        "only what waits leaves the queue");
  --size_;
  if (user->second.empty()) users.erase(user);
  if (users.empty()) roots_.erase(root);
}

std::optional<JobId> FairQueue::take(const UserUse& use) {
  auto root = roots_.upper_bound(last_root_);
  for (std::size_t tried = 0; tried < roots_.size(); ++tried, ++root) {
    if (root == roots_.end()) root = roots_.begin();
    const int number = root->first;
    const auto id = take_of(number, root->second, use);
    if (!id) continue;
    last_root_ = number;
    if (root->second.empty()) roots_.erase(root);
    return id;
  }
  return std::nullopt;
}

std::optional<JobId> FairQueue::take_of(int root, Users& users, const UserUse& use) {
  const auto last = last_users_.find(root);
  auto user = last == last_users_.end() ? users.begin() : users.upper_bound(last->second);
  for (std::size_t tried = 0; tried < users.size(); ++tried, ++user) {
    if (user == users.end()) user = users.begin();
    if (!use.may_start({root, user->first})) continue;
    const JobId id = user->second.begin()->id;
    // The root of one user (0) needs no memory of turns.
    if (user->first != 0 || users.size() > 1) last_users_[root] = user->first;
    user->second.erase(user->second.begin());
    if (user->second.empty()) users.erase(user);
    --size_;
    return id;
  }
  return std::nullopt;
}

bool FairQueue::has_startable(const UserUse& use) const {
  if (use.limits().running_max == 0) return !roots_.empty();
  return std::any_of(roots_.begin(), roots_.end(), [&use](const auto& root) {
    const Users& users = root.second;
    return std::any_of(users.begin(), users.end(), [&](const auto& user) {
      return use.may_start({root.first, user.first});
    });
  });
}

}  // namespace filecall::worker
