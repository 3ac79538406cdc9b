// SPDX-License-Identifier: MIT
#include "client/report/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"

namespace filecall::client {
namespace {

// Values below 2 * kHalf have a bucket each; every further power of two is cut into kHalf.
constexpr int kHalfBits = 6;
constexpr std::int64_t kHalf = 1 << kHalfBits;
constexpr std::size_t kBuckets = (63 - kHalfBits + 1) * kHalf;

std::size_t bucket_of(std::int64_t value) {
  if (value < 2 * kHalf) return static_cast<std::size_t>(value);
  const int shift =
      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))) - 1 - kHalfBits;
  return static_cast<std::size_t>(kHalf * shift + (value >> shift));
}

std::int64_t low_of(std::size_t bucket) {
  const auto index = static_cast<std::int64_t>(bucket);
  if (index < 2 * kHalf) return index;
  const std::int64_t shift = index / kHalf - 1;
  return (index - kHalf * shift) << shift;
}

std::int64_t high_of(std::size_t bucket) {
  return bucket + 1 == kBuckets ? INT64_MAX : low_of(bucket + 1) - 1;
}

}  // namespace

LatencyHistogram::LatencyHistogram() : counts_(kBuckets, 0) {}

void LatencyHistogram::add(std::int64_t value) {
  value = std::max<std::int64_t>(value, 0);
  ++counts_[bucket_of(value)];
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = std::max(max_, value);
  sum_ += static_cast<double>(value);
  ++count_;
}

double LatencyHistogram::mean() const {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

std::int64_t LatencyHistogram::percentile(double percent) const {
  CHECK(percent >= 0 && percent <= 100, "a percentile lies between 0 and 100");
  if (count_ == 0) return 0;
  const double share = percent / 100 * static_cast<double>(count_);
  const auto rank = std::clamp<std::int64_t>(std::llround(std::ceil(share - 1e-9)), 1, count_);
  if (rank == count_) return max_;
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::clamp(low_of(i) + (high_of(i) - low_of(i)) / 2, min_, max_);
  }
  return max_;
}

std::vector<LatencyHistogram::Bucket> LatencyHistogram::chart(std::size_t buckets_max) const {
  std::vector<Bucket> chart;
  if (count_ == 0 || buckets_max == 0) return chart;
  const double from = std::log2(static_cast<double>(min_ + 1));
  const double to = std::log2(static_cast<double>(max_ + 1));
  const double step = std::max((to - from) / static_cast<double>(buckets_max), 1e-9);
  const std::size_t last = bucket_of(max_);
  double next_edge = from;
  for (std::size_t i = bucket_of(min_); i <= last; ++i) {
    const double here = std::log2(static_cast<double>(low_of(i)) + 1);
    if (chart.empty() || (here >= next_edge && chart.size() < buckets_max)) {
      chart.push_back({low_of(i), high_of(i), 0});
      while (next_edge <= here) next_edge += step;
    }
    chart.back().high = high_of(i);
    chart.back().count += counts_[i];
  }
  chart.front().low = min_;
  chart.back().high = max_;
  return chart;
}

}  // namespace filecall::client
