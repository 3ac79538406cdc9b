// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "client/core/price_table.h"

namespace filecall::client {

/// What models cost, by a file of prices and, beside it, the providers of a worker's configuration.
/// Empty paths: none. Failure: a file's; invalid_argument.
Result<TokenPrices> load_prices(const std::string& prices, const std::string& worker_config);

}  // namespace filecall::client
