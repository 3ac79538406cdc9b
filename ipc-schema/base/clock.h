// SPDX-License-Identifier: MIT
#pragma once

#include "base/time.h"

namespace filecall {

/// What time it is. The machine's is system_clock() (os/system_clock.h); tests move their own. Any
/// thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonotonicTime monotonic() const = 0;
  virtual WallTime wall() const = 0;
};

}  // namespace filecall
