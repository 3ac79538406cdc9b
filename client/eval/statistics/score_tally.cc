// SPDX-License-Identifier: MIT
#include "client/eval/statistics/score_tally.h"

namespace filecall::client {

ScoreSummary summarize(const ScoreTally& tally) {
  const std::vector<Cluster> clusters = tally.clusters();
  ScoreSummary summary;
  summary.counts = tally.counts();
  summary.score = mean_score(clusters);
  summary.pass_rate = pass_rate(clusters);
  const std::int64_t k = usual_repeats(clusters);
  summary.repeats.k = k;
  if (k > 1) summary.repeats = estimate_repeats(clusters, k);
  return summary;
}

}  // namespace filecall::client
