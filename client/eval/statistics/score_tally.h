// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "client/eval/statistics/clusters.h"
#include "client/eval/statistics/estimate.h"
#include "client/eval/statistics/repeats.h"

namespace filecall::client {

/// Why an answer has no grade.
enum class NoGrade : std::uint8_t {
  kUngraded,       ///< A grader could not judge.
  kError,          ///< Given up.
  kRefusal,        ///< The model's or the provider's filter.
  kTruncated,      ///< Cut at its length.
  kSchemaInvalid,  ///< Not of the form that was asked for, in every attempt.
};
inline constexpr std::size_t kNoGradeCount = 5;

/// The outcomes of a run's answers, each counted in one place only.
struct OutcomeCounts {
  std::int64_t graded = 0;
  std::int64_t ungraded = 0;
  std::int64_t error = 0;
  std::int64_t refusal = 0;
  std::int64_t truncated = 0;
  std::int64_t schema_invalid = 0;
  std::int64_t zeros = 0;  ///< Of those without a grade: count as a score of 0.
  /// By NoGrade: some of these count as 0.
  std::array<bool, kNoGradeCount> is_zero{};

  std::int64_t& of(NoGrade why);
  std::int64_t total() const {
    return graded + ungraded + error + refusal + truncated + schema_invalid;
  }
  /// Answers that the score is made of.
  std::int64_t scored() const { return graded + zeros; }
  /// The share that says nothing of the model because the run itself failed there: errors, and
  /// answers that no grader could judge. Refusals, cut answers and answers of another form are the
  /// model's doing. A run above the limit that its specification sets is invalid, whatever its
  /// scores. 0 when empty.
  double error_rate() const {
    return total() == 0 ? 0 : static_cast<double>(error + ungraded) / static_cast<double>(total());
  }
};

/// The scores of one model (or prompt, grader, run): 24 bytes an answer that counts. Pure; not
/// thread-safe.
class ScoreTally {
 public:
  /// `question`: Observation::question.
  void add_graded(std::uint64_t item, double score, bool passed, std::uint32_t question = 0) {
    ++counts_.graded;
    observations_.push_back({item, score, passed, question});
  }
  /// `is_zero`: it counts as a score of 0 that did not pass; else it is only counted.
  void add_without_grade(std::uint64_t item, NoGrade why, bool is_zero);
  const OutcomeCounts& counts() const { return counts_; }

  std::vector<Cluster> clusters() const { return clusters_of(observations_); }

 private:
  OutcomeCounts counts_;
  std::vector<Observation> observations_;
};

/// A tally's estimates; with repeats when most items have several answers, or k was asked for.
struct ScoreSummary {
  OutcomeCounts counts;
  Estimate score;
  Estimate pass_rate;
  RepeatEstimate repeats;  ///< k is 0 or 1 when there are none to speak of.
};
/// `chosen_k`: of the repeats; absent: what most items have.
ScoreSummary summarize(const ScoreTally& tally, const std::optional<std::int64_t>& chosen_k = {});

}  // namespace filecall::client
