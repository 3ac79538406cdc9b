// SPDX-License-Identifier: MIT
#include "os/system_clock.h"

#include "os/clock.h"

namespace filecall {
namespace {

class SystemClock final : public Clock {
 public:
  MonotonicTime monotonic() const override { return monotonic_now(); }
  WallTime wall() const override { return wall_now(); }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace filecall
