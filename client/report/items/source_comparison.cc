// SPDX-License-Identifier: MIT
#include "client/report/items/source_comparison.h"

#include <map>
#include <string>
#include <utility>

#include "client/report/items/row_values.h"

namespace filecall::client {
namespace {

struct Tallied {
  ReportTally tally{WallTime()};
  std::vector<PairCandidate> candidates{};
  RowValues rows{};
};

constexpr std::size_t kRowsNamed = 5;

Result<Tallied> tally_of(ItemSource& source, bool with_candidates) {
  Tallied tallied;
  tallied.tally.evaluation = source.evaluation();
  TRY(source.each([&](const ReportItem& item) {
    tallied.tally.add(item);
    tallied.rows.add(item_key(item.item), item.vars);
    if (auto one = with_candidates ? pair_candidate(item) : std::nullopt) {
      tallied.candidates.push_back(*std::move(one));
    }
  }));
  for (const std::string& digest : source.spec_digests()) tallied.tally.add_spec_digest(digest);
  tallied.tally.finish();
  return tallied;
}

/// Puts the texts of the few items that are named into the comparison.
Result<void> describe(ItemSource& a, ItemSource& b, const RowValues::Differences& differences,
                      RunComparison& comparison) {
  std::map<std::uint64_t, std::string> names;
  for (const RowValues::Difference& one : differences.first) names[one.item] = "";
  TRY(a.each([&](const ReportItem& item) {
    describe_change(item, ComparedRun::kA, comparison);
    if (const auto one = names.find(item_key(item.item)); one != names.end()) {
      one->second = item.item;
    }
  }));
  TRY(b.each([&](const ReportItem& item) { describe_change(item, ComparedRun::kB, comparison); }));
  const std::string note = row_differences_text(differences, names);
  if (!note.empty()) comparison.notes.push_back(note);
  return {};
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
  const auto differences = RowValues::between(of_a.rows, of_b.rows, kRowsNamed);
  ComparisonOptions wanted = options;
  wanted.needs_grades = options.needs_grades || pairs.empty();
  TRY_ASSIGN(RunComparison comparison,
             compare_runs(std::move(of_a.tally), std::move(of_b.tally), wanted));
  comparison.judged_pairs = std::move(pairs);
  TRY(describe(a, b, differences, comparison));
  return comparison;
}

}  // namespace filecall::client
