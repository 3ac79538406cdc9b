// SPDX-License-Identifier: MIT
#include "client/eval/statistics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace filecall::client {
namespace {

constexpr std::int64_t kDrawsMax = 200'000'000;
constexpr std::int64_t kResamplesMin = 1000;

/// Linear between neighbours (Hyndman and Fan's type 7, which R and NumPy take by default).
double quantile_of_sorted(const std::vector<double>& sorted, double probability) {
  const double at = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = at - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

}  // namespace

std::optional<Interval> bootstrap_interval(std::span<const double> values,
                                           const BootstrapOptions& options) {
  if (values.size() < 2) return std::nullopt;
  const auto count = static_cast<std::int64_t>(values.size());
  const std::int64_t resamples =
      std::max(kResamplesMin, std::min(options.resamples, kDrawsMax / count));
  Random random(options.seed);
  std::vector<double> means;
  means.reserve(static_cast<std::size_t>(resamples));
  for (std::int64_t i = 0; i < resamples; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < values.size(); ++j) sum += values[random.below(values.size())];
    means.push_back(sum / static_cast<double>(count));
  }
  std::sort(means.begin(), means.end());
  return Interval{quantile_of_sorted(means, (1 - kConfidence) / 2),
                  quantile_of_sorted(means, (1 + kConfidence) / 2)};
}

}  // namespace filecall::client
