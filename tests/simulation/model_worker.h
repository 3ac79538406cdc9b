// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tests/simulation/world.h"
#include "worker/core/dispatcher.h"
#include "worker/core/recovery_plan.h"

namespace filecall::simulation {

/// The worker's real decisions (dispatcher, windows, crash policy) on a modelled directory. Every
/// method is one turn; between any two of them the worker may be destroyed, which is its death.
class ModelWorker {
 public:
  ModelWorker(World& world, int command_count)
      : world_(world),
        dispatcher_({{"", worker::DestinationLimits{.concurrency = 3}}}, world.monotonic()),
        interrupted_(world.started),
        command_count_(command_count) {}

  /// Commands of even id have effects.
  static Effects effects_of(Id id) { return id % 2 == 0 ? Effects::kExternal : Effects::kNone; }

  /// Sees one pending request, in any order: notifications may be lost, doubled and reordered.
  void notice(Id id) {
    if (!world_.is_pending(id) || held_.contains(id)) return;
    held_.insert(id);
    int starts = 0;
    if (const auto left = interrupted_.find(id); left != interrupted_.end()) {
      const worker::StartRecord interruption{left->second.starts, left->second.effects};
      interrupted_.erase(left);
      const auto step = worker::plan_recovery(interruption);
      if (step != worker::RecoveryStep::kRunAgain) {
        const Failure failure = worker::recovery_failure(step, interruption.starts);
        answer(id, {.version = {}, .code = failure.code, .retryable = failure.is_retryable()});
        return;
      }
      starts = interruption.starts;
    }
    const worker::JobId job = next_job_++;
    jobs_.emplace(job, Job{id, starts});
    dispatcher_.enqueue(job, 0, id % 3 == 0 ? "a" : "b", static_cast<int>(id % 5),
                        world_.monotonic());
  }

  /// Records a start. The command itself runs in a later turn: a crash may come between.
  void dispatch() {
    const auto job = dispatcher_.next(world_.monotonic());
    if (!job) return;
    Job& started = jobs_.at(*job);
    world_.started[started.id] = {started.starts + 1, effects_of(started.id)};
    started.step = Step::kRecorded;
  }

  /// Advances one started job: begin its effects, or finish and answer.
  void work() {
    for (auto& [job_id, job] : jobs_) {
      if (job.step == Step::kWaiting || !world_.chance(2)) continue;
      if (job.step == Step::kRecorded) {
        job.step = Step::kRunning;
        if (!job.is_cancelled) ++world_.executions[job.id];
        return;
      }
      ResponseFile response;
      response.is_success = !job.is_cancelled && world_.chance(3);
      response.code = job.is_cancelled ? ErrorCode::kCancelled : ErrorCode::kUnavailable;
      response.retryable = !job.is_cancelled && !world_.chance(6);
      if (response.retryable && !response.is_success && world_.chance(3)) {
        response.code = ErrorCode::kResourceExhausted;
        response.retry_after = milliseconds(static_cast<int>(world_.random.below(30)));
      }
      const worker::JobId done = job_id;
      const Id id = job.id;
      const bool is_overload = response.retry_after || world_.chance(4);
      dispatcher_.finish(done,
                         is_overload ? worker::Feedback::kOverload : worker::Feedback::kSuccess,
                         response.retry_after, world_.monotonic());
      jobs_.erase(done);
      answer(id, response);
      return;
    }
  }

  void read_cancel() {
    if (world_.cancels.empty()) return;
    const Id id = *world_.cancels.begin();
    world_.cancels.erase(world_.cancels.begin());
    for (auto& [job_id, job] : jobs_) {
      if (job.id != id) continue;
      if (job.step != Step::kWaiting) {
        job.is_cancelled = true;
        return;
      }
      dispatcher_.remove(job_id);
      jobs_.erase(job_id);
      answer(id, {.version = {}, .code = ErrorCode::kCancelled, .retryable = false});
      return;
    }
    if (world_.is_pending(id))
      answer(id, {.version = {}, .code = ErrorCode::kCancelled, .retryable = false});
  }

  /// One turn of anything.
  void turn() {
    switch (world_.random.below(5)) {
      case 0:
      case 1:
        return notice(
            static_cast<Id>(world_.random.below(static_cast<std::uint64_t>(command_count_))));
      case 2:
        return dispatch();
      case 3:
        return work();
      default:
        return read_cancel();
    }
  }

 private:
  enum class Step { kWaiting, kRecorded, kRunning };
  struct Job {
    Id id;
    int starts;
    Step step = Step::kWaiting;
    bool is_cancelled = false;
  };

  void answer(Id id, ResponseFile response) {
    world_.publish(id, response);
    held_.erase(id);
  }

  World& world_;
  worker::Dispatcher dispatcher_;
  std::map<Id, StartRecord> interrupted_;
  std::map<worker::JobId, Job> jobs_;
  std::set<Id> held_;
  worker::JobId next_job_ = 1;
  int command_count_;
};

}  // namespace filecall::simulation
