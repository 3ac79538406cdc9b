// SPDX-License-Identifier: MIT
#include "client/report/items/source_comparison.h"

#include <utility>

namespace filecall::client {
namespace {

struct Tallied {
  ReportTally tally{WallTime()};
  std::vector<PairCandidate> candidates{};
};

Result<Tallied> tally_of(ItemSource& source, bool with_candidates) {
  Tallied tallied;
  tallied.tally.evaluation = source.evaluation();
  TRY(source.each([&](const ReportItem& item) {
    tallied.tally.add(item);
    if (auto one = with_candidates ? pair_candidate(item) : std::nullopt) {
      tallied.candidates.push_back(*std::move(one));
    }
  }));
  tallied.tally.finish();
  return tallied;
}

}  // namespace

Result<RunComparison> compare_sources(ItemSource& a, ItemSource& b,
                                      const ComparisonOptions& options) {
  const bool may_have_pairs = !a.root().empty() && a.root() == b.root() &&
                              !a.preferences().empty() && !b.preferences().empty();
  TRY_ASSIGN(Tallied of_a, tally_of(a, may_have_pairs));
  TRY_ASSIGN(Tallied of_b, tally_of(b, may_have_pairs));
  std::vector<PairSection> pairs;
  if (may_have_pairs) pairs = pairs_between(a.preferences(), of_a.candidates, of_b.candidates);
  ComparisonOptions wanted = options;
  wanted.needs_grades = options.needs_grades || pairs.empty();
  TRY_ASSIGN(RunComparison comparison,
             compare_runs(std::move(of_a.tally), std::move(of_b.tally), wanted));
  comparison.judged_pairs = std::move(pairs);
  // Once more, for the texts of the few items that are named.
  TRY(a.each([&](const ReportItem& item) { describe_change(item, ComparedRun::kA, comparison); }));
  TRY(b.each([&](const ReportItem& item) { describe_change(item, ComparedRun::kB, comparison); }));
  return comparison;
}

}  // namespace filecall::client
