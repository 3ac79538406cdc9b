// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/time.h"
#include "spool/settle_policy.h"

namespace filecall::spool {

/// Files that are perhaps still being written, each with the time of its next look.
class Settling {
 public:
  struct Entry {
    SettleState state;
    MonotonicTime look_at{};
    bool is_due = false;  ///< Its look is awaited: an event is not what brought it up.
  };

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  /// nullptr: not settling. Valid until the next call that is not const.
  Entry* find(std::string_view stem);
  void put(std::string_view stem, const SettleState& state, MonotonicTime look_at);
  void erase(std::string_view stem);
  /// Marks what has come up by `now` as due and hands out the names (they stay settling).
  std::vector<std::string> take_due(MonotonicTime now);
  Deadline next_due() const;

 private:
  void drop_stale();

  using Due = std::pair<MonotonicTime, std::string>;
  std::unordered_map<std::string, Entry, StringHash, std::equal_to<>> entries_;
  /// An element counts only if its entry still has that time.
  std::priority_queue<Due, std::vector<Due>, std::greater<>> queue_;
};

}  // namespace filecall::spool
