// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "client/cli/options.h"
#include "client/core/price_table.h"

namespace filecall::client {

/// The prices in the file of `--prices` and, below them, those of the providers in the worker's
/// configuration that `--worker-config` names. Failure: invalid_argument, the files'.
Result<PriceTable> read_prices(const Arguments& arguments);

}  // namespace filecall::client
