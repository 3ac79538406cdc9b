// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "ipc/worker_status.h"
#include "worker/core/dispatcher.h"
#include "worker/exec/executor.h"

namespace filecall::worker {

/// What flow control and the executors know of destinations, as one list by name.
std::vector<WorkerStatus::Destination> list_destinations(
    const std::vector<Dispatcher::State>& states, const std::vector<DestinationProblem>& problems);

}  // namespace filecall::worker
