// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/eval/judging.h"
#include "client/eval/spec.h"
#include "client/eval/statistics/score_tally.h"
#include "ipc/json.h"

namespace filecall::client {

/// What an evaluation came to, by models and by graders; what `filecall eval` prints at its end.
/// 24 bytes a grade. Pure; not thread-safe.
class EvalSummary {
 public:
  void add(const Evaluation& evaluation, bool is_reused);
  /// The same, with what people say of the answer, and the prices of judges.
  void add(const Evaluation& evaluation, bool is_reused, std::span<const HumanLabel> labels,
           const TokenPrices& prices);

  const OutcomeCounts& counts() const { return all_.counts(); }
  /// Responses that are ungraded because what a grader asked was given up.
  std::int64_t lacking_replies() const { return lacking_replies_; }
  std::int64_t unfinished = 0;       ///< Selected requests that have not ended.
  std::int64_t never_graded = 0;     ///< Responses that nobody came to: it was stopped.
  std::int64_t not_selected = 0;     ///< Requests that are there, and that no one asked about.
  std::int64_t removed = 0;          ///< Selected requests whose files gc removed.
  std::int64_t missing = 0;          ///< The same, and somebody removed or damaged them.
  std::int64_t superseded = 0;       ///< Earlier results of agents' runs that went on.
  std::vector<std::string> run_ids;  ///< Whose requests these are; empty: a root's.

  /// No model has a larger share of requests that were given up or could not be graded.
  bool is_valid(const std::optional<double>& max_error_rate) const;
  /// What misses the thresholds, for people, by model; empty: nothing. A score is missed, too,
  /// where nothing could be graded. Where a threshold is given, what has not ended or was
  /// never graded misses it unless `allows_pending`.
  std::vector<std::string> missed(const std::optional<double>& min_score,
                                  const std::optional<double>& max_error_rate,
                                  bool allows_pending = false) const;
  /// Why there is no score, for people; empty: there is one.
  std::vector<std::string> why_nothing_is_graded(const EvalSpec& spec) const;
  Json as_json(const EvalSpec& spec, const std::vector<std::string>& missed) const;
  std::string as_text(const EvalSpec& spec) const;

 private:
  /// The reasons of most grades without a score: "3 times: why".
  std::vector<std::string> common_reasons() const;
  void add_reason(const std::string& reason);
  /// Graders that were for none of the answers that were looked at; none when nothing was.
  std::vector<std::string> unused_graders(const EvalSpec& spec) const;

  ScoreTally all_;
  std::map<std::string, ScoreTally> by_model_;
  std::map<std::string, ScoreTally> by_grader_;
  std::map<std::string, std::int64_t> reasons_;  ///< Of grades without a score.
  std::int64_t graded_before_ = 0;               ///< Responses that had a grade.
  std::int64_t lacking_replies_ = 0;
  JudgingTally judging_;
};

}  // namespace filecall::client
