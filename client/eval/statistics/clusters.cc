// SPDX-License-Identifier: MIT
#include "client/eval/statistics/clusters.h"

#include <algorithm>

#include "base/hash.h"

namespace filecall::client {

std::uint64_t item_key(std::string_view item) { return hash64(item); }

std::vector<Cluster> clusters_of(std::vector<Observation> observations) {
  // Ties by score: the sums, and so every digit of a report, do not depend on the order of reading.
  std::sort(observations.begin(), observations.end(),
            [](const Observation& a, const Observation& b) {
              return a.item != b.item ? a.item < b.item : a.score < b.score;
            });
  std::vector<Cluster> clusters;
  for (const Observation& observation : observations) {
    if (clusters.empty() || clusters.back().item != observation.item) {
      clusters.push_back({.item = observation.item});
    }
    Cluster& cluster = clusters.back();
    ++cluster.observations;
    cluster.score_sum += observation.score;
    cluster.passes += observation.passed ? 1 : 0;
    cluster.question = std::max(cluster.question, observation.question);
  }
  return clusters;
}

}  // namespace filecall::client
