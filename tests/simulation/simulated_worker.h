// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "ipc/response.h"
#include "tests/simulation/simulated_commands.h"
#include "tests/simulation/world.h"
#include "worker/core/dispatcher.h"
#include "worker/engine/memory_source.h"
#include "worker/jobs/job_runner.h"

namespace filecall::simulation {

class WorldClock final : public Clock {
 public:
  explicit WorldClock(const World& world) : world_(world) {}
  MonotonicTime monotonic() const override { return world_.monotonic(); }
  WallTime wall() const override { return world_.wall(); }

 private:
  const World& world_;
};

/// The worker's real runner, dispatcher and crash policy on a source in memory. Every turn is one
/// visible step; between any two of them the worker may be destroyed, which is its death: what it
/// had handed to its source and what was not performed yet never happens.
class SimulatedWorker {
 public:
  /// `root` survives it, as `world` does, whose requests and responses it shows to the source.
  SimulatedWorker(World& world, worker::MemoryRoot& root, SimulatedCommands& commands,
                  int request_count, worker::MemorySource::Fault fault)
      : world_(world),
        root_(root),
        commands_(commands),
        request_count_(request_count),
        clock_(world),
        source_(root, clock_, fault),
        dispatcher_({{"", worker::DestinationLimits{.concurrency = 3}}}, world.monotonic()),
        runner_(commands.registry(), dispatcher_, "simulated", clock_) {
    commands_.begin(world);
    source_.defer();
    session_.path = "/simulated";
    session_.source = &source_;
    runner_.serve(session_);
  }

  /// One step of anything.
  void turn() {
    read_world();
    switch (world_.random.below(9)) {
      case 0:
      case 1:
      case 2:
        notice();
        break;
      case 3:
        runner_.on_wake(world_.monotonic());
        runner_.start_ready(world_.monotonic());
        break;
      case 4:
      case 5:
      case 6:
        source_.perform();
        break;
      case 7:
        commands_.finish_one();
        break;
      default:
        read_cancel();
    }
    write_world();
  }

 private:
  /// Sees one request, in any order: notifications may be lost, doubled and reordered.
  void notice() {
    const auto count = static_cast<std::uint64_t>(request_count_);
    source_.notice(name_of(static_cast<Id>(world_.random.below(count))));
    while (auto arrival = source_.next(world_.monotonic())) {
      runner_.accept(session_, std::move(*arrival), world_.monotonic());
    }
  }

  void read_cancel() {
    if (world_.cancels.empty()) return;
    const Id id = *world_.cancels.begin();
    world_.cancels.erase(world_.cancels.begin());
    runner_.cancel(session_.path, 0, name_of(id), worker::CancelWish{},
                   [](worker::CancelResult) {});
  }

  /// What the client did since.
  void read_world() {
    for (const auto& [id, text] : world_.requests) root_.requests.try_emplace(name_of(id), text);
    std::erase_if(root_.answers, [this](const auto& answer) {
      return !world_.responses.contains(id_of(answer.first));
    });
  }

  /// What the source published since.
  void write_world() {
    for (const auto& [stem, text] : root_.answers) {
      if (world_.responses.contains(id_of(stem))) continue;
      const auto response = parse_response(text, stem);
      CHECK(response.has_value(), "the worker's answers can be read");
      world_.publish(id_of(stem), file_of(*response));
    }
  }

  static ResponseFile file_of(const Response& response) {
    ResponseFile file;
    file.is_success = response.is_success();
    if (file.is_success) return file;
    file.code = response.failure->code;
    file.retryable = response.failure->is_retryable();
    if (const auto pause = response.failure->retry_after_ms)
      file.retry_after = milliseconds(*pause);
    return file;
  }

  World& world_;
  worker::MemoryRoot& root_;
  SimulatedCommands& commands_;
  int request_count_;
  WorldClock clock_;
  worker::MemorySource source_;
  worker::Dispatcher dispatcher_;
  worker::Session session_;
  worker::JobRunner runner_;
};

}  // namespace filecall::simulation
