// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/engine/orchestrator.h"

namespace filecall::client {

/// Says on standard error why a run ended early and how to go on; the exit code. kDone: 0, nothing
/// is said. `again`: what continues it.
int explain_end(RunEnd end, const std::string& root, const std::string& again);

}  // namespace filecall::client
