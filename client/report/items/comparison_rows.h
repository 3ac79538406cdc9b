// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "client/report/items/comparison.h"

namespace filecall::client {

/// "+0.125"
std::string signed_text(double value);

/// Scores, pass rates and graders of each pair of groups, then of all together, as texts: model,
/// what, A, B, difference, interval, p, better, same, worse, items. A model stands in its first
/// row.
std::vector<std::vector<std::string>> paired_rows(const RunComparison& comparison);

/// Of each pair of groups what each run has, and what counts as 0 of what has no grade: model, run,
/// graded, errors, refused, cut, schema, ungraded, times, tokens, cost.
std::vector<std::string> side_heads();
std::vector<std::vector<std::string>> side_rows(const RunComparison& comparison);

/// A sentence each of what is not compared: items and groups that only one side has a score of.
/// Thresholds count what B lacks as failed. Empty: all is compared.
std::vector<std::string> unpaired_sentences(const RunComparison& comparison);

/// "12 items are worse, 3 better"
std::string changes_text(const RunComparison& comparison);

}  // namespace filecall::client
