// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/eval/statistics/bootstrap.h"
#include "client/eval/statistics/paired.h"
#include "client/report/items/pair_section.h"
#include "client/report/items/report_tally.h"

namespace filecall::client {

/// One group of run A and the group of run B that it is held against.
struct GroupPair {
  GroupKey a;
  GroupKey b;
  std::shared_ptr<const GroupTally> tally_a;  ///< Never null; keeps its whole run.
  std::shared_ptr<const GroupTally> tally_b;
  PairedComparison score;
  /// The same with a score of 0 in B for what only A has: what a gate looks at.
  PairedComparison gated;
  PairedComparison pass_rate;
  std::map<std::string, PairedComparison> graders;  ///< Those that both runs have.
};

/// An item whose mean score differs.
struct ItemChange {
  std::size_t pair = 0;  ///< Index in RunComparison::pairs.
  std::uint64_t item_key = 0;
  double score_a = 0;
  double score_b = 0;

  // Filled in from the items themselves, by describe_change(): of the first repeat that is met.
  std::string item;
  std::string prompt;
  std::string request_a;
  std::string request_b;
  std::string answer_a;
  std::string answer_b;

  double difference() const { return score_b - score_a; }
};

/// An item that has a score in A and none in B.
struct MissingItem {
  std::size_t pair = 0;
  std::uint64_t item_key = 0;
  double score_a = 0;

  // Filled in by describe_change().
  std::string item;
  std::string outcome_b;  ///< As ItemOutcome; empty: B did not ask.
};

struct RunComparison {
  std::vector<GroupPair> pairs;
  PairedComparison all;          ///< Items averaged over the pairs that have them on both sides.
  std::vector<GroupKey> only_a;  ///< Groups that are compared with nothing.
  std::vector<GroupKey> only_b;
  std::vector<ItemChange> changes;   ///< Worst regressions first; at most as many as asked for.
  std::vector<MissingItem> missing;  ///< At most as many as changes were asked for.
  std::int64_t missing_count = 0;    ///< All of them.
  std::int64_t regressions = 0;      ///< All of them: an item counts once in each pair.
  /// For people: why a difference may not be the models' doing.
  std::vector<std::string> notes;
  std::int64_t improvements = 0;
  /// What judges said of pairs of them; no part of what stands above. Filled by compare_sources().
  std::vector<PairSection> judged_pairs;
};

struct ComparisonOptions {
  std::size_t changes_max = 20;
  /// Absent: intervals by Student's t.
  std::optional<BootstrapOptions> bootstrap;
  bool needs_grades = true;  ///< False: that no item is graded in both is no failure.
};

/// B against A on the items that both have a score of. Models (with their prompts) are compared
/// with their namesakes; when each run has only one prompt (or only one model), whatever that is
/// called, so that two prompts are paired over many models. Pure. The result keeps the tallies:
/// move them in, they are large. Failure: invalid_argument, nothing can be compared; the message
/// says what there is.
Result<RunComparison> compare_runs(ReportTally a, ReportTally b, const ComparisonOptions& options);

enum class ComparedRun : std::uint8_t { kA, kB };
/// Puts an item's texts into the changes and the missing items that it belongs to, if any.
void describe_change(const ReportItem& item, ComparedRun run, RunComparison& comparison);

struct ComparisonThresholds {
  bool fail_on_regression = false;   ///< A lower score that chance does not explain: p < 0.05.
  std::optional<double> drop_max{};  ///< A score lower by more than this, by chance or not.
  bool allows_pending = false;       ///< They are about what has ended in A and B.

  bool any() const { return fail_on_regression || drop_max.has_value(); }
};
/// What is missed, one sentence each, for people. What A has and B lacks counts as failed. A
/// request of either that has not ended misses each threshold, and so does a response without a
/// grade.
std::vector<std::string> missed_thresholds(const RunComparison& comparison,
                                           const ComparisonThresholds& thresholds);

/// "model", or "model / prompt".
std::string group_key_label(const GroupKey& key);
/// "model", or "model against other" when the names differ.
std::string pair_label(const GroupPair& pair);

}  // namespace filecall::client
