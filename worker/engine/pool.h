// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace filecall::worker {

/// Threads for what blocks. Loop thread only.
class Pool {
 public:
  virtual ~Pool() = default;
  /// Runs `work` on some thread and then `after` on the loop; neither before this returns.
  virtual void offload(std::function<void()> work, std::function<void()> after) = 0;
};

}  // namespace filecall::worker
