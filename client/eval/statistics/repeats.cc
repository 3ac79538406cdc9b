// SPDX-License-Identifier: MIT
#include "client/eval/statistics/repeats.h"

#include <map>
#include <vector>

#include "base/check.h"

namespace filecall::client {

double pass_at_k(std::int64_t answers, std::int64_t passes, std::int64_t k) {
  CHECK(k >= 1 && k <= answers && passes >= 0 && passes <= answers, "k of n answers, c passed");
  if (answers - passes < k) return 1;
  // The product of Chen et al.: binomials would overflow.
  double none = 1;
  for (std::int64_t i = answers - passes + 1; i <= answers; ++i) {
    none *= 1 - static_cast<double>(k) / static_cast<double>(i);
  }
  return 1 - none;
}

double pass_hat_k(std::int64_t answers, std::int64_t passes, std::int64_t k) {
  CHECK(k >= 1 && k <= answers && passes >= 0 && passes <= answers, "k of n answers, c passed");
  if (passes < k) return 0;
  double all = 1;
  for (std::int64_t i = 0; i < k; ++i) {
    all *= static_cast<double>(passes - i) / static_cast<double>(answers - i);
  }
  return all;
}

RepeatEstimate estimate_repeats(std::span<const Cluster> clusters, std::int64_t k) {
  RepeatEstimate estimate;
  estimate.k = k;
  std::vector<double> any;
  std::vector<double> all;
  for (const Cluster& cluster : clusters) {
    if (cluster.observations < k) {
      ++estimate.items_left_out;
      continue;
    }
    any.push_back(pass_at_k(cluster.observations, cluster.passes, k));
    all.push_back(pass_hat_k(cluster.observations, cluster.passes, k));
  }
  estimate.pass_at_k = mean_of_items(any);
  estimate.pass_hat_k = mean_of_items(all);
  return estimate;
}

std::int64_t usual_repeats(std::span<const Cluster> clusters) {
  std::map<std::int64_t, std::int64_t> items_by_answers;
  for (const Cluster& cluster : clusters) ++items_by_answers[cluster.observations];
  std::int64_t usual = 0;
  std::int64_t most = 0;
  for (const auto& [answers, items] : items_by_answers) {
    if (items > most) {
      most = items;
      usual = answers;
    }
  }
  return usual;
}

}  // namespace filecall::client
