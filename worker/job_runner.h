// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "spool/source.h"
#include "worker/core/dispatcher.h"
#include "worker/exec/cancel_target.h"
#include "worker/exec/registry/registry.h"
#include "worker/job.h"
#include "worker/outbox.h"
#include "worker/root_session.h"

namespace filecall::worker {

/// Takes arrivals through their life: check, wait, record the start, execute, answer. Decides
/// nothing itself: the registry checks, the dispatcher chooses, plan_recovery() judges crashes.
/// Loop thread only. Sessions, registry and outbox must outlive it.
class JobRunner final : public CancelTarget {
 public:
  JobRunner(Registry& registry, Dispatcher& dispatcher, Outbox& outbox, std::string instance);

  /// Takes one arrival: answers it at once (bad input, commands without a destination) or queues
  /// it.
  void accept(RootSession& session, spool::Arrival arrival, MonotonicTime now);
  /// Starts what the dispatcher lets start.
  void start_ready(MonotonicTime now);
  /// Ends executions whose time is over.
  void expire(MonotonicTime now);
  /// When expire() or start_ready() will have something to do because of time alone.
  Deadline next_wake(MonotonicTime now);

  /// Gives back everything that waits; it stays pending for the next worker.
  void give_back_waiting();
  /// Ends everything that executes. Commands without effects publish nothing and stay pending;
  /// others are answered `aborted`.
  void interrupt_executing();
  /// The process is about to end with jobs executing: a stop is no crash, so the start records of
  /// commands without effects go, and they stay pending. Others keep theirs: effects unknown.
  void abandon_executing();

  std::size_t waiting() const { return dispatcher_.waiting(); }
  /// Grows with every answer, and whenever a job gives its place to another.
  std::uint64_t endings() const { return endings_; }
  std::size_t executing() const { return jobs_.size() - dispatcher_.waiting(); }
  std::size_t executing_in(const RootSession& session) const;
  bool is_idle() const { return jobs_.empty(); }

  /// CancelTarget: a request of that root, wherever it is.
  CancelResult cancel(std::string_view root, std::string_view request_id) override;
  /// Roots that cancel() may be asked about.
  void serve(RootSession& session) { sessions_.push_back(&session); }

 private:
  /// The crash policy's answer, or nullopt when the request may run. `record`: the start record
  /// that an earlier run left.
  std::optional<Failure> judge_interruption(RootSession& session, const std::string& stem,
                                            std::optional<spool::StartRecordName>& record);
  void enqueue(RootSession& session, spool::Arrival arrival, Executor& executor, ExecutionPlan plan,
               std::optional<spool::StartRecordName> record, MonotonicTime now);
  /// Brings back a request whose body was dropped. False: it ended (withdrawn, or answered).
  bool reload(Job& job, MonotonicTime now);
  void start(Job& job, MonotonicTime now);
  void on_recorded(JobId id, const Result<void>& result);
  void execute(Job& job);
  /// It must not begin now: its destination asked for a pause while its start was recorded.
  void hold_back(Job& job);
  void on_yield(JobId id);
  void on_done(JobId id, Outcome outcome);

  /// Ends an execution from outside, with `verdict` as its answer.
  void end(Job& job, Failure verdict);
  /// A job that the dispatcher handed out ends with an answer; `job` is gone afterwards.
  void conclude(Job& job, Outcome outcome);
  /// The same without an answer: it stays pending.
  void conclude_unanswered(Job& job);
  void forget_record(Job& job);
  void erase(Job& job);
  CancelResult cancel_unread(RootSession& session, std::string_view request_id);
  /// Answers an arrival that never became a job.
  void answer_arrival(RootSession& session, spool::Arrival& arrival, Outcome outcome,
                      std::optional<spool::StartRecordName> record,
                      std::optional<WallTime> started_at = std::nullopt);
  void publish(RootSession& session, Response response,
               std::optional<spool::StartRecordName> record, bool may_repeat);

  Registry& registry_;
  Dispatcher& dispatcher_;
  Outbox& outbox_;
  std::string instance_;
  std::vector<RootSession*> sessions_;
  std::unordered_map<JobId, std::unique_ptr<Job>> jobs_;
  std::vector<std::unique_ptr<Execution>> finished_;
  std::set<std::pair<MonotonicTime, JobId>> deadlines_;
  std::size_t waiting_bytes_ = 0;
  JobId next_id_ = 1;
  std::uint64_t endings_ = 0;
  bool is_closing_ = false;  ///< Nothing that waits will start any more.
};

}  // namespace filecall::worker
