// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "client/eval/evaluation.h"
#include "client/eval/human_label.h"
#include "client/eval/judge_scale.h"
#include "client/eval/statistics/agreement.h"
#include "ipc/token_prices.h"

namespace filecall::client {

/// Somebody who rates answers, in the place of one grader.
struct Rater {
  enum class Kind : std::uint8_t {
    kGrade,   ///< What the grader came to.
    kJudge,   ///< One judge of several.
    kPerson,  ///< Who labels by hand.
  };
  Kind kind = Kind::kGrade;
  std::string name;  ///< Empty for kGrade.
  auto operator<=>(const Rater&) const = default;
};
/// "grade", "judge", "person".
std::string_view to_string(Rater::Kind kind);

/// What one judge did for one grader. What several answers share is asked, and counted, once.
struct JudgeCounts {
  std::int64_t asked = 0;        ///< Questions, the second ones not counted.
  std::int64_t asked_again = 0;  ///< Second questions, after a reply without a verdict.
  std::int64_t unreadable = 0;   ///< No verdict, asked again or not.
  double cost = 0;               ///< US$, of those whose cost is known.
  std::int64_t unpriced = 0;     ///< Whose cost nobody knows.

  /// One question, with what its record says.
  void add(bool was_asked_again, bool has_verdict, const std::optional<double>& question_cost) {
    ++asked;
    asked_again += was_asked_again ? 1 : 0;
    unreadable += has_verdict ? 0 : 1;
    cost += question_cost.value_or(0);
    unpriced += question_cost ? 0 : 1;
  }
};

/// What is known of the raters of one grader.
struct GraderJudging {
  std::map<std::string, JudgeCounts> judges;
  FleissTable fleiss;  ///< Of all judges.
  std::string scale;   ///< Of the last answer; as scale_text() writes it.
  /// People with judges and the grade, people with people, judges with judges.
  std::map<std::pair<Rater, Rater>, AgreementTable> pairs;
  std::int64_t labels = 0;      ///< People's labels that count.
  std::int64_t old_labels = 0;  ///< Of an answer that is another one now, or of another scale.

  bool is_empty() const { return judges.empty() && labels == 0 && old_labels == 0; }
};

/// What judges and people said of the answers of one evaluation, by graders. Memory: some 50 bytes
/// a question of a judge. Pure; not thread-safe.
class JudgingTally {
 public:
  /// `labels`: people's, of this request and evaluation, each person's last one for each grader.
  /// `prices`: of judges whose replies noted no cost.
  void add(const Evaluation& evaluation, std::span<const HumanLabel> labels,
           const TokenPrices& prices);
  /// By the graders' names; those that nobody judged are not in it.
  const std::map<std::string, GraderJudging>& graders() const { return graders_; }

 private:
  void add_judges(const Grade& grade, const JudgeScale& scale, const TokenPrices& prices,
                  GraderJudging& judging, std::vector<std::pair<Rater, Rating>>& ratings);

  std::map<std::string, GraderJudging> graders_;
  std::unordered_set<std::uint64_t> questions_;
};

/// The scale on which people label what a grader found: the judges', else pass or fail. nullopt: of
/// this grade nothing tells.
std::optional<std::string> scale_of_grade(const Grade& grade);

}  // namespace filecall::client
