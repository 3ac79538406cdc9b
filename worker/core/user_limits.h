// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>

namespace filecall::worker {

/// Who asks: a user of a root. In a root that is one user's all are user 0.
struct Asker {
  // NOLINTNEXTLINE(google-explicit-constructor): most roots have one user.
  constexpr Asker(int of_root, std::uint32_t of_user = 0) : root(of_root), user(of_user) {}

  int root;
  std::uint32_t user;

  auto operator<=>(const Asker&) const = default;
};

/// What one user may have of a root at a time; 0: any number.
struct UserLimits {
  std::size_t running_max = 0;
  std::size_t waiting_max = 0;
};

/// How much of a worker each user has. Counts nothing where nothing is limited. Pure.
class UserUse {
 public:
  explicit UserUse(UserLimits limits) : limits_(limits) {}

  /// Whether one more job of the user may wait.
  bool may_wait(const Asker& asker) const {
    return limits_.waiting_max == 0 || use_of(asker).waiting < limits_.waiting_max;
  }
  /// Whether one more job of the user may start.
  bool may_start(const Asker& asker) const {
    return limits_.running_max == 0 || use_of(asker).running < limits_.running_max;
  }
  void count_waiting(const Asker& asker, int change) { count(asker, change, 0); }
  void count_running(const Asker& asker, int change) { count(asker, 0, change); }
  const UserLimits& limits() const { return limits_; }

 private:
  struct Use {
    std::size_t waiting = 0;
    std::size_t running = 0;
  };
  Use use_of(const Asker& asker) const;
  void count(const Asker& asker, int waiting, int running);

  UserLimits limits_;
  std::map<Asker, Use> uses_;  ///< Of users who have something.
};

}  // namespace filecall::worker
