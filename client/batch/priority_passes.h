// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace filecall::client {

/// The order in which the requests of a batch are dropped: by priority, the larger first, and in
/// the order of the input among equals. Nothing is sorted, since a batch may have millions: the
/// input is read once for each priority that occurs in it. Pure.
class PriorityPasses {
 public:
  /// One pass that takes all.
  PriorityPasses() = default;
  /// `stated`: by requests. `usual`: what those have that state none, if there are any.
  PriorityPasses(std::set<int> stated, bool has_usual, int usual) : usual_(usual) {
    if (has_usual) stated.insert(usual);
    if (stated.size() > 1) levels_.assign(stated.rbegin(), stated.rend());
  }

  /// Whether a request of this priority is one of this pass.
  bool takes(std::optional<int> priority) const {
    return levels_.empty() || levels_[at_] == priority.value_or(usual_);
  }
  /// To the next pass; false: that was the last one.
  bool go_on() {
    if (at_ + 1 >= levels_.size()) return false;
    ++at_;
    return true;
  }

 private:
  int usual_ = 0;
  std::vector<int> levels_;  ///< From the largest on; empty: all are the same.
  std::size_t at_ = 0;
};

}  // namespace filecall::client
