// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ipc/worker_status.h"
#include "worker/core/dispatcher.h"
#include "worker/exec/executor.h"
#include "worker/root_session.h"

namespace filecall::worker {

/// What is the same in every status file of one worker.
struct StatusFacts {
  std::int64_t pid = 0;
  std::string instance;
  std::string boot_id;
  WallTime started_at{};
  std::string durability;
  std::vector<std::string> missing_protections;
  std::vector<WorkerStatus::Command> commands;
};

/// Replaces the root's `worker/status.json`. Never synced: after a power cut it is stale anyway.
/// `executing` and `waiting` count this root's accepted requests.
Result<void> write_status(const RootSession& session, const StatusFacts& facts, WorkerState state,
                          std::string_view problem, std::size_t waiting, std::size_t executing,
                          std::vector<WorkerStatus::Destination> destinations);

/// What flow control and the executors know of destinations, as one list by name.
std::vector<WorkerStatus::Destination> list_destinations(
    const std::vector<Dispatcher::State>& states, const std::vector<DestinationProblem>& problems);

}  // namespace filecall::worker
