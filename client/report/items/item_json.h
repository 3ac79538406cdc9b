// SPDX-License-Identifier: MIT
#pragma once

#include "client/eval/statistics/estimate.h"
#include "client/report/items/report_item.h"
#include "client/report/items/report_tally.h"
#include "ipc/json.h"

namespace filecall::client {

/// The parts of a JSON report. Pure.
Json item_json(const ReportItem& item);
Json grade_json(const Grade& grade);
/// {value, standard_error, low, high, method, answers, items}; null members where nothing is known.
Json estimate_json(const Estimate& estimate);
/// Counts, scores, times, usage and errors of one group.
/// `repeats_k`: of pass@k; absent: what most items have.
Json group_json(const GroupTally& group, const std::optional<std::int64_t>& repeats_k = {});
/// All of a report but its items.
Json report_json(const ReportTally& tally);

}  // namespace filecall::client
