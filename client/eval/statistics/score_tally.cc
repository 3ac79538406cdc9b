// SPDX-License-Identifier: MIT
#include "client/eval/statistics/score_tally.h"

namespace filecall::client {

std::int64_t& OutcomeCounts::of(NoGrade why) {
  switch (why) {
    case NoGrade::kUngraded:
      return ungraded;
    case NoGrade::kError:
      return error;
    case NoGrade::kRefusal:
      return refusal;
    case NoGrade::kTruncated:
      return truncated;
    case NoGrade::kSchemaInvalid:
      return schema_invalid;
  }
  return ungraded;
}

void ScoreTally::add_without_grade(std::uint64_t item, NoGrade why, bool is_zero) {
  ++counts_.of(why);
  if (!is_zero) return;
  ++counts_.zeros;
  counts_.is_zero.at(static_cast<std::size_t>(why)) = true;
  observations_.push_back({item, 0, false});
}

ScoreSummary summarize(const ScoreTally& tally, const std::optional<std::int64_t>& chosen_k) {
  const std::vector<Cluster> clusters = tally.clusters();
  ScoreSummary summary;
  summary.counts = tally.counts();
  summary.score = mean_score(clusters);
  summary.pass_rate = pass_rate(clusters);
  const std::int64_t k = chosen_k.value_or(usual_repeats(clusters));
  summary.repeats.k = k;
  if (k > 1 || chosen_k) summary.repeats = estimate_repeats(clusters, k);
  return summary;
}

}  // namespace filecall::client
