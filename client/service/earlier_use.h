// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "client/core/price_table.h"
#include "client/core/run_limits.h"
#include "client/engine/submission_feed.h"
#include "client/service/ledger.h"
#include "spool/layout.h"

namespace filecall::client {

/// Adds what earlier runs of one request have used. A request that no row tells of has used what
/// its answer says. Failure: the database's.
Result<void> add_earlier_use(Ledger& ledger, const spool::Layout& layout, const TokenPrices& prices,
                             const std::string& id, RunTotals& totals);

/// What earlier runs of a feed's requests have used, so that limits count it from the beginning.
/// Failure: the feed's, the database's.
Result<RunTotals> earlier_use(Ledger& ledger, const spool::Layout& layout,
                              const TokenPrices& prices, SubmissionFeed& feed);

}  // namespace filecall::client
