// SPDX-License-Identifier: MIT
#include "client/cli/limit_options.h"

#include <limits>

#include "client/service/price_files.h"

namespace filecall::client {

Result<void> read_limits(const Arguments& arguments, OrchestratorOptions& options) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (arguments.has("max-cost")) {
    TRY_ASSIGN(options.limits.cost, arguments.number("max-cost", 0));
  }
  if (arguments.has("max-tokens")) {
    TRY_ASSIGN(options.limits.tokens, arguments.integer("max-tokens", 0, 0, kMost));
  }
  if (arguments.has("max-errors")) {
    TRY_ASSIGN(options.limits.errors, arguments.integer("max-errors", 0, 1, kMost));
  }
  TRY_ASSIGN(options.prices,
             load_prices(arguments.text("prices"), arguments.text("worker-config")));
  return {};
}

}  // namespace filecall::client
