// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "client/eval/statistics/clusters.h"
#include "client/eval/statistics/estimate.h"
#include "client/eval/statistics/repeats.h"

namespace filecall::client {

/// What came of a run's answers, each counted in one place only.
struct OutcomeCounts {
  std::int64_t graded = 0;
  std::int64_t ungraded = 0;   ///< A grader could not judge.
  std::int64_t error = 0;      ///< Given up.
  std::int64_t refusal = 0;    ///< The model's or the provider's filter.
  std::int64_t truncated = 0;  ///< Cut at its length.

  std::int64_t total() const { return graded + ungraded + error + refusal + truncated; }
  /// The share that says nothing of the model because the run itself failed there: errors, and
  /// answers that no grader could judge. Refusals and cut answers are the model's doing. A run
  /// above the limit that its specification sets is invalid, whatever its scores. 0 when empty.
  double error_rate() const {
    return total() == 0 ? 0 : static_cast<double>(error + ungraded) / static_cast<double>(total());
  }
};

/// The scores of one model (or prompt, grader, run): 24 bytes a graded answer. Pure; not
/// thread-safe.
class ScoreTally {
 public:
  void add_graded(std::uint64_t item, double score, bool passed) {
    ++counts_.graded;
    observations_.push_back({item, score, passed});
  }
  /// For all that is not graded.
  OutcomeCounts& counts() { return counts_; }
  const OutcomeCounts& counts() const { return counts_; }

  std::vector<Cluster> clusters() const { return clusters_of(observations_); }

 private:
  OutcomeCounts counts_;
  std::vector<Observation> observations_;
};

/// A tally's estimates; with k > 1 when most items have k graded answers.
struct ScoreSummary {
  OutcomeCounts counts;
  Estimate score;
  Estimate pass_rate;
  RepeatEstimate repeats;  ///< k is 0 or 1 when there are none to speak of.
};
ScoreSummary summarize(const ScoreTally& tally);

}  // namespace filecall::client
