// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "worker/exec/executor.h"

namespace filecall::worker {

/// What runs, by request: a test ends it when it likes.
struct FakeWork {
  struct Running {
    std::function<void(Outcome)> done;
    std::function<void()> yield_place;
    std::function<std::unique_ptr<EventSink>()> open_events;
    bool is_cancelled = false;
  };
  std::map<std::string, Running> running;
  std::map<std::string, int> starts;  ///< How often each was executed.

  void finish(const std::string& id, Outcome outcome) {
    const auto done = running.at(id).done;
    running.erase(id);
    done(std::move(outcome));
  }
};

/// A command whose executions lie in a FakeWork until they are finished. Destination and time-out
/// are as given; params {"bad": true} are refused by plan().
class FakeExecutor final : public Executor {
 public:
  FakeExecutor(FakeWork& work, std::string name, Effects effects, std::string destination,
               Duration timeout = Duration::zero(), bool may_repeat = false)
      : work_(work),
        info_{std::move(name), "", R"({"type":"object"})", effects, Risk::kLow, may_repeat},
        plan_{effects, std::move(destination), "", timeout, 0} {}

  /// CommandInfo::tells_effects.
  void tell_effects() { info_.tells_effects = true; }

  const CommandInfo& info() const override { return info_; }
  Result<ExecutionPlan, Failure> plan(const Request& request) override {
    if (!request.params.contains("bad")) return plan_;
    Failure failure;
    failure.code = ErrorCode::kPermissionDenied;
    failure.message = "not allowed";
    return failure;
  }
  std::unique_ptr<Execution> start(const Request& request, const ExecutionContext& context,
                                   std::function<void(Outcome)> done) override {
    ++work_.starts[request.request_id];
    if (plan_.destination.empty()) {
      done(request.params);
      return nullptr;
    }
    work_.running[request.request_id] = {std::move(done), context.yield_place, context.open_events,
                                         false};
    return std::make_unique<FakeExecution>(work_, request.request_id);
  }

 private:
  class FakeExecution final : public Execution {
   public:
    FakeExecution(FakeWork& work, std::string id) : work_(work), id_(std::move(id)) {}
    void cancel() override {
      if (const auto found = work_.running.find(id_); found != work_.running.end()) {
        found->second.is_cancelled = true;
      }
    }
    Json partial() const override { return {{"stdout", "half"}}; }

   private:
    FakeWork& work_;
    std::string id_;
  };

  FakeWork& work_;
  CommandInfo info_;
  ExecutionPlan plan_;
};

}  // namespace filecall::worker
