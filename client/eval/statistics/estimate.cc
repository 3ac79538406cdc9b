// SPDX-License-Identifier: MIT
#include "client/eval/statistics/estimate.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "client/eval/statistics/distributions.h"

namespace filecall::client {
namespace {

/// A mean as sums: what an estimate needs of each item.
struct ItemSum {
  double sum = 0;
  double count = 0;
};

/// Below this an error is rounding.
constexpr double kNoError = 1e-12;

template <typename SumOf>
Estimate clustered(std::size_t items, const SumOf& sum_of, bool is_proportion) {
  Estimate estimate;
  estimate.items = static_cast<std::int64_t>(items);
  if (items == 0) return estimate;
  double total = 0;
  double count = 0;
  for (std::size_t i = 0; i < items; ++i) {
    total += sum_of(i).sum;
    count += sum_of(i).count;
  }
  const double mean = total / count;
  estimate.value = mean;
  estimate.observations = static_cast<std::int64_t>(count);
  const auto trials = static_cast<double>(items);
  double squares = 0;
  for (std::size_t i = 0; i < items; ++i) {
    const double residual = sum_of(i).sum - mean * sum_of(i).count;
    squares += residual * residual;
  }
  double error = 0;
  if (items > 1) {
    error = std::sqrt(trials / (trials - 1) * squares) / count;
    estimate.standard_error = error;
  }
  if (is_proportion || error < kNoError) {
    estimate.method = IntervalMethod::kWilson;
    estimate.interval = wilson_interval(std::clamp(mean, 0.0, 1.0), trials);
    return estimate;
  }
  estimate.method = IntervalMethod::kStudentT;
  const double reach = error * student_t_quantile(0.5 + kConfidence / 2, trials - 1);
  estimate.interval = {std::max(0.0, mean - reach), std::min(1.0, mean + reach)};
  return estimate;
}

bool has_one_each(std::span<const Cluster> clusters) {
  return std::all_of(clusters.begin(), clusters.end(),
                     [](const Cluster& cluster) { return cluster.observations == 1; });
}

bool is_binary(const Cluster& cluster) { return cluster.score_sum == 0 || cluster.score_sum == 1; }

}  // namespace

std::string_view to_string(IntervalMethod method) {
  switch (method) {
    case IntervalMethod::kNone:
      return "none";
    case IntervalMethod::kStudentT:
      return "student-t";
    case IntervalMethod::kWilson:
      return "wilson";
    case IntervalMethod::kBootstrap:
      return "bootstrap";
  }
  return "none";
}

Interval wilson_interval(double share, double trials, double confidence) {
  CHECK(trials > 0 && share >= 0 && share <= 1, "a share of trials");
  const double z = normal_quantile(0.5 + confidence / 2);
  const double weight = z * z / trials;
  const double centre = (share + weight / 2) / (1 + weight);
  const double reach =
      z / (1 + weight) * std::sqrt(share * (1 - share) / trials + weight / (4 * trials));
  // Exact at the ends, where rounding would leave a trace of the bound that cannot be crossed.
  return {share == 0 ? 0 : std::max(0.0, centre - reach),
          share == 1 ? 1 : std::min(1.0, centre + reach)};
}

Estimate mean_score(std::span<const Cluster> clusters) {
  const bool is_proportion =
      has_one_each(clusters) && std::all_of(clusters.begin(), clusters.end(), is_binary);
  return clustered(
      clusters.size(),
      [&](std::size_t i) {
        return ItemSum{clusters[i].score_sum, static_cast<double>(clusters[i].observations)};
      },
      is_proportion);
}

Estimate pass_rate(std::span<const Cluster> clusters) {
  return clustered(
      clusters.size(),
      [&](std::size_t i) {
        return ItemSum{static_cast<double>(clusters[i].passes),
                       static_cast<double>(clusters[i].observations)};
      },
      has_one_each(clusters));
}

Estimate mean_of_items(std::span<const double> values) {
  return clustered(
      values.size(),
      [&](std::size_t i) {
        return ItemSum{values[i], 1};
      },
      false);
}

}  // namespace filecall::client
