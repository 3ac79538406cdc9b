// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace filecall::client {

/// What happened when, counted in at most kBucketsMax buckets of equal width: when the run outgrows
/// them, neighbours merge and the width doubles. Pure; not thread-safe.
class TimeLine {
 public:
  static constexpr std::size_t kBucketsMax = 120;
  struct Bucket {
    std::int64_t success = 0;
    std::int64_t gave_up = 0;
    std::int64_t retries = 0;
  };

  explicit TimeLine(Duration first_width = milliseconds(100)) : width_(first_width) {}

  /// `elapsed`: since the run began; negative counts as 0. The bucket of that instant, to add to.
  Bucket& at(Duration elapsed);

  Duration width() const { return width_; }
  /// From the run's begin to the last bucket touched.
  const std::vector<Bucket>& buckets() const { return buckets_; }

 private:
  void merge_neighbours();

  Duration width_;
  std::vector<Bucket> buckets_;
};

}  // namespace filecall::client
