// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ipc/response.h"
#include "tests/unit/worker/jobs/fake_work.h"
#include "tests/unit/worker/manual_clock.h"
#include "worker/engine/memory_source.h"
#include "worker/exec/system/cancel.h"
#include "worker/jobs/job_runner.h"

namespace filecall::worker {

/// A worker's life without its loop: the real runner and dispatcher on a source in memory.
class JobRunnerTest : public testing::Test {
 protected:
  JobRunnerTest() { begin(); }

  /// What a process's start does; what an earlier one held in memory is lost.
  void begin() {
    runner_.reset();
    source_ = std::make_unique<MemorySource>(root_, clock_);
    dispatcher_ = std::make_unique<Dispatcher>(
        std::map<std::string, DestinationLimits, std::less<>>{
            {"", DestinationLimits{.concurrency = 2}}},
        clock_.monotonic());
    registry_ = std::make_unique<Registry>();
    add("pure", Effects::kNone, "d");
    add("effect", Effects::kExternal, "d");
    auto whole =
        std::make_unique<FakeExecutor>(work_, "whole", Effects::kExternal, "d", seconds(5));
    whole->tell_effects();
    ASSERT_TRUE(registry_->add(std::move(whole)));
    add("hasty", Effects::kNone, "h", seconds(5));
    add("inline", Effects::kNone, "");
    ASSERT_TRUE(registry_->add(
        std::make_unique<SystemCancel>(R"({"type":"object"})", [this] { return runner_.get(); })));
    session_ = Session{};
    session_.path = "/root";
    session_.source = source_.get();
    runner_ = std::make_unique<JobRunner>(*registry_, *dispatcher_, "w1", clock_);
    runner_->serve(session_);
  }
  void add(const std::string& name, Effects effects, const std::string& destination,
           Duration timeout = Duration::zero()) {
    ASSERT_TRUE(registry_->add(std::make_unique<FakeExecutor>(work_, name, effects, destination,
                                                              timeout, destination.empty())));
  }

  void drop(const std::string& id, const std::string& command, Json params = Json::object()) {
    const Json request{{"request_id", id},
                       {"command", command},
                       {"params", std::move(params)},
                       {"metadata", {{"of", id}}}};
    root_.requests[id] = dump_json(request);
    source_->notice(id);
  }
  /// One turn of a worker.
  void turn() {
    const MonotonicTime now = clock_.monotonic();
    if (source_->next_wake().is_reached(now)) source_->on_wake(now);
    while (auto arrival = source_->next(now)) runner_->accept(session_, std::move(*arrival), now);
    runner_->on_wake(now);
    runner_->start_ready(now);
    source_->flush();
  }
  void run(const std::string& id, const std::string& command) {
    drop(id, command);
    turn();
    ASSERT_TRUE(work_.running.contains(id)) << id;
  }
  Response answer(const std::string& id) {
    const auto found = root_.answers.find(id);
    if (found == root_.answers.end()) {
      ADD_FAILURE() << id << " is not answered";
      return {};
    }
    return parse_response(found->second, id).value();
  }
  ErrorCode code(const std::string& id) {
    const Response response = answer(id);
    EXPECT_TRUE(response.failure) << id;
    return response.failure ? response.failure->code : ErrorCode::kUnknown;
  }
  bool is_answered(const std::string& id) const { return root_.answers.contains(id); }
  CancelResult cancel(const std::string& id, CancelWish wish = {}) {
    std::optional<CancelResult> out;
    runner_->cancel("/root", 0, id, wish, [&](CancelResult result) { out = result; });
    EXPECT_TRUE(out);
    return out.value_or(CancelResult::kUnknown);
  }

  ManualClock clock_;
  MemoryRoot root_;
  FakeWork work_;
  std::unique_ptr<MemorySource> source_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<Registry> registry_;
  Session session_;
  std::unique_ptr<JobRunner> runner_;
};

}  // namespace filecall::worker
