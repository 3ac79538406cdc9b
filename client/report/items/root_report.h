// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/report/items/item_reader.h"
#include "client/report/items/report_tally.h"
#include "client/report/items/report_writer.h"
#include "client/service/ledger.h"

namespace filecall::client {

/// How many requests a report will be about at most (a filter by model is not looked at), and when
/// the first of them was dropped: what a report must know before it reads.
struct RootExtent {
  std::int64_t requests = 0;
  WallTime started_at{};
};
Result<RootExtent> measure_root(Ledger& ledger, const RunScope& scope);

/// Reads what the filter selects into both. `tally` gets the names of root, runs and evaluation,
/// and verdicts of pairs; finish() of both is left to the caller. `pairs_of`: the evaluation whose
/// verdicts of pairs are shown; empty: all.
Result<void> fill_report(Ledger& ledger, const spool::Layout& layout, const RunScope& scope,
                         const ItemFilter& filter, std::string_view pairs_of, ReportWriter& writer,
                         ReportTally& tally);

/// What a CI run demands of a report.
struct ReportThresholds {
  std::optional<double> score_min;
  std::optional<double> error_rate_max;
  bool allows_pending = false;  ///< They are about what has ended, however little that is.
};
/// What is missed, one sentence each, for people. Every model (with every prompt) must reach the
/// score; one without a single grade has not reached it. A request that has not ended misses each
/// threshold, and so does a response that was never graded where others are; a grade that does not
/// count any more misses the score. Pure.
std::vector<std::string> missed_thresholds(const ReportTally& tally,
                                           const ReportThresholds& thresholds);

}  // namespace filecall::client
