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

/// "a (not asked), b (error), 3 more": items that only A has a score of; empty: there are none.
std::string missing_text(const RunComparison& comparison);

/// "12 items are worse, 3 better"
std::string changes_text(const RunComparison& comparison);

}  // namespace filecall::client
