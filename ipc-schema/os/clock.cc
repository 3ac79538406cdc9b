// SPDX-License-Identifier: MIT
#include "os/clock.h"

namespace filecall {
namespace {

Duration since_epoch(const timespec& time) { return seconds(time.tv_sec) + Duration(time.tv_nsec); }

Duration read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return since_epoch(now);
}

}  // namespace

MonotonicTime monotonic_now() { return MonotonicTime(read_clock(CLOCK_MONOTONIC)); }
WallTime wall_time_of(const timespec& time) { return WallTime(since_epoch(time)); }
WallTime wall_now() { return WallTime(read_clock(CLOCK_REALTIME)); }

}  // namespace filecall
