// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client/eval/judging.h"
#include "client/eval/statistics/score_tally.h"
#include "client/report/items/pair_section.h"
#include "client/report/items/report_item.h"
#include "client/report/latency_histogram.h"
#include "client/report/run_summary.h"

namespace filecall::client {

/// Sums of what requests used, in all attempts that said it.
struct UsageSums {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cached_input_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::int64_t counted = 0;  ///< Items that said their tokens.
  double cost = 0;
  std::int64_t priced = 0;    ///< Items whose cost is known.
  std::int64_t unpriced = 0;  ///< Items that used tokens of which nobody knows the cost.

  void add(const ItemUsage& usage);
};

/// What a report says of one model with one prompt, or of all. Some 60 KiB, and 24 bytes a grade.
/// Not thread-safe; pure, as the next.
class GroupTally {
 public:
  static constexpr std::size_t kNamesMax = 64;  ///< Graders and classes; the rest is "(others)".

  void add(const ReportItem& item);

  std::int64_t count(ItemOutcome outcome) const {
    return outcomes_[static_cast<std::size_t>(outcome)];
  }
  std::int64_t total() const;
  std::int64_t ended() const { return total() - count(ItemOutcome::kPending); }
  std::int64_t evaluated() const { return evaluated_; }
  /// Responses without a grade, as ReportItem::awaits_grade.
  std::int64_t awaiting_grade() const { return awaiting_grade_; }
  std::int64_t retries() const { return retries_; }
  /// As ScoreTally's: given-up, ungraded and missing ones among those that ended.
  double error_rate() const;
  const ScoreTally& scores() const { return scores_; }
  const std::map<std::string, ScoreTally>& graders() const { return graders_; }
  const std::map<std::string, std::int64_t>& errors() const { return errors_; }
  /// Of successes: running in the worker (the provider's time), and until the first token.
  const LatencyHistogram& run_ms() const { return run_ms_; }
  const LatencyHistogram& first_token_ms() const { return first_token_ms_; }
  const UsageSums& usage() const { return usage_; }

 private:
  void add_grades(std::uint64_t item, const Evaluation& evaluation);

  std::array<std::int64_t, kItemOutcomeCount> outcomes_{};
  std::int64_t evaluated_ = 0;
  std::int64_t awaiting_grade_ = 0;
  std::int64_t retries_ = 0;
  ScoreTally scores_;
  std::map<std::string, ScoreTally> graders_;
  std::map<std::string, std::int64_t> errors_;
  LatencyHistogram run_ms_;
  LatencyHistogram first_token_ms_;
  UsageSums usage_;
};

struct GroupKey {
  std::string subject;  ///< ReportItem::subject().
  std::string prompt;   ///< The prompt's name; empty: none.
  auto operator<=>(const GroupKey&) const = default;
};

/// Everything a report says beside its items, gathered item by item.
class ReportTally {
 public:
  static constexpr std::size_t kGroupsMax = 256;  ///< The rest counts as "(others)".
  static constexpr std::size_t kProblemsNamed = 5;
  static constexpr std::size_t kSpecsMax = 8;

  /// `started_at`: where the time line begins.
  explicit ReportTally(WallTime started_at) : run_(started_at) {}

  void add(const ReportItem& item);
  /// Of grades whose evaluation does not say it; as spec_digests() has it.
  void add_spec_digest(const std::string& digest);
  /// After the last item.
  void finish(bool was_interrupted = false);

  std::string evaluation;                   ///< Its name; empty: none.
  std::optional<std::int64_t> repeats_k{};  ///< Of pass@k; absent: what most items have.
  std::string damage;                       ///< What of the grades cannot be read; for people.
  std::vector<std::string> runs;            ///< Whose requests these are; empty: a root's.
  JudgingTally judging;                     ///< Filled by fill_report(), as the next two.
  std::vector<PairSection> pairs;           ///< Verdicts of pairs; no part of any score.
  std::int64_t lacking_replies = 0;  ///< Responses ungraded: a judge or program was given up.

  RunSummary& run() { return run_; }
  const RunSummary& run() const { return run_; }
  const GroupTally& all() const { return all_; }
  const std::map<GroupKey, GroupTally>& groups() const { return groups_; }
  std::int64_t evaluation_problems() const { return evaluation_problems_; }
  /// Responses that the evaluation has not looked at; those with a problem are not among them.
  std::int64_t never_graded() const { return never_graded_; }
  /// Results of agents' runs: the calls that they sum up are requests as well.
  std::int64_t run_results() const { return run_results_; }
  /// The versions of the specification that the grades are by, the first few: one, unless only a
  /// part was graded again after a change.
  const std::set<std::string>& spec_digests() const { return spec_digests_; }
  /// The requests of the first few of them.
  const std::vector<std::string>& evaluation_problem_ids() const { return problem_ids_; }

 private:
  RunSummary run_;
  WallTime last_end_{};
  std::int64_t retries_ = 0;
  GroupTally all_;
  std::map<GroupKey, GroupTally> groups_;
  std::int64_t evaluation_problems_ = 0;
  std::int64_t never_graded_ = 0;
  std::int64_t run_results_ = 0;
  std::vector<std::string> problem_ids_;
  std::set<std::string> spec_digests_;
};

}  // namespace filecall::client
