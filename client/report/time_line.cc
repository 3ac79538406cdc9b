// SPDX-License-Identifier: MIT
#include "client/report/time_line.h"

#include <algorithm>

namespace filecall::client {

TimeLine::Bucket& TimeLine::at(Duration elapsed) {
  elapsed = std::max(elapsed, Duration::zero());
  while (elapsed / width_ >= static_cast<std::int64_t>(kBucketsMax)) merge_neighbours();
  const auto index = static_cast<std::size_t>(elapsed / width_);
  if (index >= buckets_.size()) buckets_.resize(index + 1);
  return buckets_[index];
}

void TimeLine::merge_neighbours() {
  std::vector<Bucket> merged((buckets_.size() + 1) / 2);
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    merged[i / 2].success += buckets_[i].success;
    merged[i / 2].gave_up += buckets_[i].gave_up;
    merged[i / 2].retries += buckets_[i].retries;
  }
  buckets_ = std::move(merged);
  width_ *= 2;
}

}  // namespace filecall::client
