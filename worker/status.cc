// SPDX-License-Identifier: MIT
#include "worker/status.h"

#include <map>
#include <utility>

namespace filecall::worker {

std::vector<WorkerStatus::Destination> list_destinations(
    const std::vector<Dispatcher::State>& states, const std::vector<DestinationProblem>& problems) {
  std::map<std::string, WorkerStatus::Destination> by_name;
  for (const Dispatcher::State& state : states) {
    WorkerStatus::Destination& destination = by_name[state.name];
    destination.in_flight = state.in_flight;
    destination.waiting = static_cast<std::int64_t>(state.waiting);
    destination.held = static_cast<std::int64_t>(state.held);
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
