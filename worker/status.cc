// SPDX-License-Identifier: MIT
#include "worker/status.h"

#include <fcntl.h>

#include <map>
#include <utility>

#include "os/clock.h"
#include "os/io.h"
#include "spool/layout.h"
#include "spool/publish.h"

namespace filecall::worker {

Result<void> write_status(const RootSession& session, const StatusFacts& facts, WorkerState state,
                          std::string_view problem, std::size_t waiting, std::size_t executing,
                          std::vector<WorkerStatus::Destination> destinations) {
  const spool::SourceStats stats = session.source->stats();
  WorkerStatus status;
  status.state = state;
  status.pid = facts.pid;
  status.instance = facts.instance;
  status.boot_id = facts.boot_id;
  status.version = FILECALL_VERSION;
  status.started_at = facts.started_at;
  status.heartbeat_at = wall_now();
  status.watch = stats.watch;
  status.watch_reason = stats.watch_reason;
  status.durability = facts.durability;
  status.problem = problem;
  status.missing_protections = facts.missing_protections;
  status.counts = session.counts;
  status.counts.pending = stats.waiting + static_cast<std::int64_t>(waiting);
  status.counts.executing = static_cast<std::int64_t>(executing);
  status.counts.ignored = stats.ignored;
  status.counts.overflows = stats.overflows;
  status.counts.rescans = stats.rescans;
  status.commands = facts.commands;
  status.destinations = std::move(destinations);
  // Opened anew each time: the directory may have been replaced since.
  TRY_ASSIGN(const UniqueFd worker,
             open_file(spool::Layout(session.path).worker(), O_RDONLY | O_DIRECTORY));
  return spool::replace_file(worker.get(), "status.json", render_worker_status(status),
                             Durability::kNone);
}

std::vector<WorkerStatus::Destination> list_destinations(
    const std::vector<Dispatcher::State>& states, const std::vector<DestinationProblem>& problems) {
  std::map<std::string, WorkerStatus::Destination> by_name;
  for (const Dispatcher::State& state : states) {
    WorkerStatus::Destination& destination = by_name[state.name];
    destination.in_flight = state.in_flight;
    destination.waiting = static_cast<std::int64_t>(state.waiting);
    destination.window = state.window;
    destination.concurrency = state.concurrency;
    destination.pause_ms = to_ms(std::chrono::ceil<milliseconds>(state.pause));
  }
  for (const DestinationProblem& problem : problems) {
    by_name[problem.destination].problem = problem.problem;
  }
  std::vector<WorkerStatus::Destination> list;
  for (auto& [name, destination] : by_name) {
    destination.name = name;
    list.push_back(std::move(destination));
  }
  return list;
}

}  // namespace filecall::worker
