// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "client/cli/options.h"
#include "client/engine/orchestrator.h"

namespace filecall::client {

/// What a run may use up (--max-cost, --max-tokens, --max-errors, as far as the command has them),
/// and the prices by which that is counted (--prices, --worker-config).
Result<void> read_limits(const Arguments& arguments, OrchestratorOptions& options);

}  // namespace filecall::client
