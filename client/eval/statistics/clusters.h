// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace filecall::client {

/// One graded answer, or one without a grade that a specification counts as 0. Any other (an error,
/// a refusal, a judge that could not judge) is no observation: it is counted beside.
struct Observation {
  std::uint64_t item = 0;  ///< item_key() of the question.
  double score = 0;        ///< 0..1
  bool passed = false;
  std::uint32_t question = 0;  ///< A hash of what was asked, never 0; 0: nobody knows it.
};
static_assert(sizeof(Observation) == 24, "ScoreTally says so");

/// The answers to one question. They are alike (a hard question is hard in every repeat), so the
/// question, not the answer, is the unit that standard errors count.
struct Cluster {
  std::uint64_t item = 0;
  std::int64_t observations = 0;  ///< > 0
  double score_sum = 0;
  std::int64_t passes = 0;
  std::uint32_t question = 0;  ///< As Observation has it, the largest of them.

  double mean_score() const { return score_sum / static_cast<double>(observations); }
  double pass_rate() const {
    return static_cast<double>(passes) / static_cast<double>(observations);
  }
};

/// A question's name as a number (64 bits of XXH3): a million of them fit in memory, and two of a
/// million are equal with a probability of 3e-8.
std::uint64_t item_key(std::string_view item);

/// Observations by their items, in order of the keys.
std::vector<Cluster> clusters_of(std::vector<Observation> observations);

}  // namespace filecall::client
