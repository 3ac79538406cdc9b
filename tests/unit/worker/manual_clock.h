// SPDX-License-Identifier: MIT
#pragma once

#include "base/clock.h"

namespace filecall::worker {

/// A clock that a test moves.
class ManualClock final : public Clock {
 public:
  MonotonicTime monotonic() const override { return MonotonicTime(now_); }
  WallTime wall() const override { return WallTime(now_); }
  void advance(Duration by) { now_ += by; }

 private:
  Duration now_ = seconds(1000);
};

}  // namespace filecall::worker
