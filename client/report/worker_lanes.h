// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include "base/time.h"
#include "client/report/progress_line.h"
#include "spool/layout.h"

namespace filecall::client {

/// The destinations that a root's worker reports and that have something to say: commands that run
/// or wait, a pause, a problem. One thread.
class WorkerLanes {
 public:
  explicit WorkerLanes(spool::Layout layout) : layout_(std::move(layout)) {}

  /// As of at most a second before `now`; reads the worker's status when it is older. None when the
  /// status cannot be read.
  const std::vector<ProgressLane>& at(MonotonicTime now);

 private:
  spool::Layout layout_;
  std::vector<ProgressLane> lanes_;
  MonotonicTime next_read_{};
};

}  // namespace filecall::client
