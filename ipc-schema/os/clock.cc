// SPDX-License-Identifier: MIT
#include "os/clock.h"

#include <ctime>

namespace filecall {
namespace {

Duration read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return seconds(now.tv_sec) + Duration(now.tv_nsec);
}

}  // namespace

MonotonicTime monotonic_now() { return MonotonicTime(read_clock(CLOCK_MONOTONIC)); }
WallTime wall_now() { return WallTime(read_clock(CLOCK_REALTIME)); }

}  // namespace filecall
