// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "worker/core/user_limits.h"

namespace filecall::worker {

/// Names one accepted request for as long as the worker knows it. Never reused.
using JobId = std::uint64_t;

/// Jobs that wait for one place. Fair: roots take turns, and within a root its users; of a user the
/// larger priority comes first, then the order of arrival. Pure.
class FairQueue {
 public:
  /// A job that is in the queue already is a programmer error.
  void insert(const Asker& asker, int priority, JobId id);
  /// A job that is not in the queue is a programmer error.
  void erase(const Asker& asker, int priority, JobId id);
  /// Takes out the job whose turn it is, of a user who may start one more; nullopt: none.
  std::optional<JobId> take(const UserUse& use);
  /// Whether take() would give one.
  bool has_startable(const UserUse& use) const;

  bool empty() const { return roots_.empty(); }
  std::size_t size() const { return size_; }

 private:
  struct Rank {
    int priority;
    JobId id;
    bool operator<(const Rank& other) const {
      return priority != other.priority ? priority > other.priority : id < other.id;
    }
  };
  /// Who waits of a root, by user; no empty sets.
  using Users = std::map<std::uint32_t, std::set<Rank>>;

  std::optional<JobId> take_of(int root, Users& users, const UserUse& use);

  std::map<int, Users> roots_;  ///< No empty ones.
  int last_root_ = -1;
  /// By root: whose turn was the last one. Stays when nothing of the root waits.
  std::map<int, std::uint32_t> last_users_;
  std::size_t size_ = 0;
};

}  // namespace filecall::worker
