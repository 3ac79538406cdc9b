// SPDX-License-Identifier: MIT
#include "client/report/worker_lanes.h"

#include "ipc/limits.h"
#include "ipc/worker_status.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

constexpr Duration kReadEvery = seconds(1);

}  // namespace

const std::vector<ProgressLane>& WorkerLanes::at(MonotonicTime now) {
  if (now < next_read_) return lanes_;
  next_read_ = now + kReadEvery;
  lanes_.clear();
  const auto bytes = read_regular_file(layout_.worker_status(), limits::kRequestBytes);
  const auto status = bytes ? parse_worker_status(*bytes) : Result<WorkerStatus>(WorkerStatus{});
  if (!status) return lanes_;
  std::string whole;
  const auto is_part = [&](const std::string& name) {
    if (!whole.empty() && name.starts_with(whole + "/")) return true;
    whole = name;
    return false;
  };
  for (const WorkerStatus::Destination& lane : status->destinations) {
    // A part of the destination before it says something new only when it waits by itself.
    if (is_part(lane.name) && lane.pause_ms == 0) continue;
    if (lane.in_flight + lane.waiting == 0 && lane.pause_ms == 0 && lane.problem.empty()) continue;
    lanes_.push_back({lane.name, lane.in_flight, lane.window, lane.pause_ms, lane.problem});
  }
  return lanes_;
}

}  // namespace filecall::client
