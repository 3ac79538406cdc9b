// SPDX-License-Identifier: MIT
#include "client/eval/statistics/estimate.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "client/eval/statistics/distributions.h"

namespace filecall::client {
namespace {

/// Below this an error is rounding.
constexpr double kNoError = 1e-12;

template <typename ValueOf>
Estimate mean_of(std::size_t items, const ValueOf& value_of, bool is_proportion) {
  Estimate estimate;
  estimate.items = static_cast<std::int64_t>(items);
  if (items == 0) return estimate;
  const auto trials = static_cast<double>(items);
  double total = 0;
  for (std::size_t i = 0; i < items; ++i) total += value_of(i);
  const double mean = total / trials;
  estimate.value = mean;
  estimate.observations = estimate.items;
  double squares = 0;
  for (std::size_t i = 0; i < items; ++i) {
    const double residual = value_of(i) - mean;
    squares += residual * residual;
  }
  double error = 0;
  if (items > 1) {
    error = std::sqrt(squares / (trials - 1) / trials);
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

std::int64_t answers_of(std::span<const Cluster> clusters) {
  std::int64_t answers = 0;
  for (const Cluster& cluster : clusters) answers += cluster.observations;
  return answers;
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
  Estimate estimate = mean_of(
      clusters.size(), [&](std::size_t i) { return clusters[i].mean_score(); }, is_proportion);
  estimate.observations = answers_of(clusters);
  return estimate;
}

Estimate pass_rate(std::span<const Cluster> clusters) {
  Estimate estimate = mean_of(
      clusters.size(), [&](std::size_t i) { return clusters[i].pass_rate(); },
      has_one_each(clusters));
  estimate.observations = answers_of(clusters);
  return estimate;
}

Estimate mean_of_items(std::span<const double> values) {
  return mean_of(
      values.size(), [&](std::size_t i) { return values[i]; }, false);
}

}  // namespace filecall::client
