// SPDX-License-Identifier: MIT
#include "client/report/items/source_comparison.h"

#include <utility>

namespace filecall::client {
namespace {

Result<ReportTally> tally_of(ItemSource& source) {
  ReportTally tally((WallTime()));
  tally.evaluation = source.evaluation();
  TRY(source.each([&](const ReportItem& item) { tally.add(item); }));
  tally.finish();
  return tally;
}

}  // namespace

Result<RunComparison> compare_sources(ItemSource& a, ItemSource& b,
                                      const ComparisonOptions& options) {
  TRY_ASSIGN(ReportTally tally_a, tally_of(a));
  TRY_ASSIGN(ReportTally tally_b, tally_of(b));
  TRY_ASSIGN(RunComparison comparison,
             compare_runs(std::move(tally_a), std::move(tally_b), options));
  // Once more, for the texts of the few items that are named.
  TRY(a.each([&](const ReportItem& item) { describe_change(item, ComparedRun::kA, comparison); }));
  TRY(b.each([&](const ReportItem& item) { describe_change(item, ComparedRun::kB, comparison); }));
  return comparison;
}

}  // namespace filecall::client
