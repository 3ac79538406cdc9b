// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace filecall::client {

/// Counts of non-negative values (here milliseconds) in buckets whose width grows with the value,
/// after Tene's HdrHistogram: exact below 128, at most 1.6 % wide above, so a percentile is off by
/// less than 1 %. About 30 KiB whatever is recorded. Pure; not thread-safe.
class LatencyHistogram {
 public:
  struct Bucket {
    std::int64_t low = 0;   ///< Smallest value that falls in.
    std::int64_t high = 0;  ///< Largest.
    std::int64_t count = 0;
  };

  LatencyHistogram();
  /// A negative value counts as 0.
  void add(std::int64_t value);

  std::int64_t count() const { return count_; }
  std::int64_t min() const { return count_ == 0 ? 0 : min_; }
  std::int64_t max() const { return max_; }
  double mean() const;
  /// The value that `percent` of the recorded ones do not exceed (nearest rank); `percent` in
  /// [0, 100]. 0 when nothing was recorded; never above max().
  std::int64_t percentile(double percent) const;

  /// At most `buckets_max` buckets of equal width in the logarithm, for drawing; adjacent, from the
  /// smallest value to the largest.
  std::vector<Bucket> chart(std::size_t buckets_max) const;

 private:
  std::vector<std::int64_t> counts_;
  std::int64_t count_ = 0;
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace filecall::client
