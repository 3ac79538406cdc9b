// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "client/report/items/comparison.h"
#include "client/report/items/item_source.h"

namespace filecall::client {

/// Compares the runs of two sources (see compare_runs()), with the texts of the items that are
/// named: each source is read twice. With what judges said of pairs of A and B, where both are of
/// one root; then grades are not needed, unless `options` say so. Failures: the sources',
/// compare_runs()'s.
Result<RunComparison> compare_sources(ItemSource& a, ItemSource& b,
                                      const ComparisonOptions& options);

}  // namespace filecall::client
