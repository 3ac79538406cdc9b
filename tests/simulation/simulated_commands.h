// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "tests/simulation/simulated_request.h"
#include "tests/simulation/world.h"
#include "worker/exec/registry/registry.h"

namespace filecall::simulation {

/// What executes in the worker that lives now, and in which world.
struct Executing {
  World* world = nullptr;
  std::map<std::string, std::function<void(worker::Outcome)>> done;  ///< By request id.
};

/// A command that executes until the schedule ends it.
class SimulatedCommand final : public worker::Executor {
 public:
  SimulatedCommand(Executing& executing, Effects effects, const std::string& destination)
      : executing_(executing),
        info_{command_of(effects, destination), "", R"({"type":"object"})", effects},
        plan_{effects, destination} {}

  const worker::CommandInfo& info() const override { return info_; }
  Result<worker::ExecutionPlan, Failure> plan(const Request&) override { return plan_; }
  std::unique_ptr<worker::Execution> start(const Request& request, const worker::ExecutionContext&,
                                           std::function<void(worker::Outcome)> done) override {
    ++executing_.world->executions[id_of(request.request_id)];
    executing_.done[request.request_id] = std::move(done);
    return std::make_unique<EndedByTheSchedule>();
  }

 private:
  class EndedByTheSchedule final : public worker::Execution {
   public:
    void cancel() override {}
  };

  Executing& executing_;
  worker::CommandInfo info_;
  worker::ExecutionPlan plan_;
};

/// The commands of request_of(). Made once for all schedules: each has a schema to compile.
class SimulatedCommands {
 public:
  SimulatedCommands() {
    for (const char* destination : {"a", "b"}) {
      for (const Effects effects : {Effects::kExternal, Effects::kNone}) {
        auto command = std::make_unique<SimulatedCommand>(executing_, effects, destination);
        CHECK(registry_.add(std::move(command)).has_value(), "a command can be added");
      }
    }
  }

  worker::Registry& registry() { return registry_; }
  /// A worker begins: what executed in the one before ended with it.
  void begin(World& world) { executing_ = {&world, {}}; }

  /// Ends one of the executions, whichever.
  void finish_one() {
    auto& running = executing_.done;
    if (running.empty()) return;
    const auto skip = static_cast<std::ptrdiff_t>(executing_.world->random.below(running.size()));
    const auto chosen = std::next(running.begin(), skip);
    const auto done = std::move(chosen->second);
    running.erase(chosen);
    done(outcome(*executing_.world));
  }

 private:
  static worker::Outcome outcome(World& world) {
    if (world.chance(3)) return Json::object();
    Failure failure;
    failure.code = ErrorCode::kUnavailable;
    failure.message = "failed";
    failure.retryable = !world.chance(6);
    if (failure.is_retryable() && world.chance(3)) {
      failure.code = ErrorCode::kResourceExhausted;
      failure.retry_after_ms = static_cast<std::int64_t>(world.random.below(30));
    }
    return failure;
  }

  Executing executing_;
  worker::Registry registry_;
};

}  // namespace filecall::simulation
