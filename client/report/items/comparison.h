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
#include "client/report/items/report_tally.h"

namespace filecall::client {

/// One group of run A and the group of run B that it is held against.
struct GroupPair {
  GroupKey a;
  GroupKey b;
  std::shared_ptr<const GroupTally> tally_a;  ///< Never null; keeps its whole run.
  std::shared_ptr<const GroupTally> tally_b;
  PairedComparison score;
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

struct RunComparison {
  std::vector<GroupPair> pairs;
  PairedComparison all;          ///< Of all pairs: items averaged over them.
  std::vector<GroupKey> only_a;  ///< Groups that are compared with nothing.
  std::vector<GroupKey> only_b;
  std::vector<ItemChange> changes;  ///< Worst regressions first; at most as many as asked for.
  std::int64_t regressions = 0;     ///< All of them.
  std::int64_t improvements = 0;
};

struct ComparisonOptions {
  std::size_t changes_max = 20;
  /// Absent: intervals by Student's t.
  std::optional<BootstrapOptions> bootstrap;
};

/// B against A on the items that both have graded. Models (with their prompts) are compared with
/// their namesakes; when each run has only one, with each other whatever their names. Pure. The
/// result keeps the tallies: move them in, they are large.
/// Failure: invalid_argument, nothing can be compared; the message says what there is.
Result<RunComparison> compare_runs(ReportTally a, ReportTally b, const ComparisonOptions& options);

enum class ComparedRun : std::uint8_t { kA, kB };
/// Puts an item's texts into the change that it belongs to, if any.
void describe_change(const ReportItem& item, ComparedRun run, RunComparison& comparison);

struct ComparisonThresholds {
  bool fail_on_regression = false;   ///< A lower score that chance does not explain: p < 0.05.
  std::optional<double> drop_max{};  ///< A score lower by more than this, by chance or not.
};
/// What is missed, one sentence each, for people.
std::vector<std::string> missed_thresholds(const RunComparison& comparison,
                                           const ComparisonThresholds& thresholds);

/// "model", or "model / prompt".
std::string group_label(const GroupKey& key);
/// "model", or "model against other" when the names differ.
std::string pair_label(const GroupPair& pair);

}  // namespace filecall::client
