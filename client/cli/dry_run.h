// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "client/batch/batch.h"
#include "client/batch/run_plan.h"
#include "client/cli/options.h"
#include "client/core/price_table.h"

namespace filecall::client {

/// `run --dry-run`: prints what a run of the (checked) batch would ask and what that may use and
/// cost. Changes nothing; a root that is not there is not made. The exit code.
Result<int> print_dry_run(const Arguments& arguments, Batch& batch, const TokenPrices& prices);

/// The same of a plan that is made. `waits`: which requests wait for which; null: none.
int print_dry_run(const Arguments& arguments, const std::string& name, const RunPlan& plan,
                  const TokenPrices& prices, const WaitPlan* waits = nullptr);

}  // namespace filecall::client
