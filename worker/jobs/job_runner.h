// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "worker/core/dispatcher.h"
#include "worker/engine/source.h"
#include "worker/exec/cancel_target.h"
#include "worker/exec/registry/registry.h"
#include "worker/jobs/answer_sender.h"
#include "worker/jobs/at_once_commands.h"
#include "worker/jobs/job.h"
#include "worker/jobs/job_table.h"
#include "worker/jobs/session.h"

namespace filecall::worker {

/// Takes arrivals through their life: check, wait, record the start, execute, answer. Decides
/// nothing itself: the registry checks, the dispatcher chooses, plan_recovery() judges crashes.
/// Loop thread only. Sessions, registry, dispatcher and clock must outlive it.
class JobRunner final : public CancelTarget {
 public:
  /// `instance`: the worker's name in its responses.
  JobRunner(Registry& registry, Dispatcher& dispatcher, std::string instance, const Clock& clock);
  /// Prepares requests with another registry from now on; jobs keep the one that prepared them,
  /// which must live until they have ended.
  void use(Registry& registry) { registry_ = &registry; }

  /// A source whose arrivals come here, and about whose requests cancel() may be asked.
  void serve(Session& session) { sessions_.push_back(&session); }
  /// Takes one arrival: answers it at once (bad input, commands without a destination) or queues
  /// it.
  void accept(Session& session, Arrival arrival, MonotonicTime now);
  /// Starts what the dispatcher lets start.
  void start_ready(MonotonicTime now);
  /// Ends executions whose time is over, and renews leases.
  void on_wake(MonotonicTime now);
  /// When on_wake() or start_ready() will have something to do because of time alone.
  Deadline next_wake(MonotonicTime now);

  /// Gives back everything that waits; it stays pending for the next worker.
  void give_back_waiting();
  /// Likewise what is about to start: its start is being recorded.
  void give_back_starting();
  /// Ends everything that executes. Commands without effects publish nothing and stay pending;
  /// others are answered `aborted`.
  void interrupt_executing();
  /// The process is about to end with jobs executing: a stop is no crash, so the start records of
  /// commands without effects go, and they stay pending. Others keep theirs: effects unknown.
  void abandon_executing();

  std::size_t waiting() const { return dispatcher_.waiting(); }
  std::size_t executing_in(const Session& session) const { return jobs_.started_in(session); }
  /// Grows with every answer, and whenever a job gives its place to another.
  std::uint64_t endings() const { return endings_ + at_once_.endings(); }
  bool is_idle() const { return jobs_.empty() && at_once_.empty(); }

  /// CancelTarget: a request of that root, wherever it is.
  void cancel(std::string_view root, std::uint32_t user, std::string_view request_id,
              CancelWish wish, std::function<void(CancelResult)> done) override;
  DiscardResult discard(std::string_view root, std::uint32_t user, std::string_view request_id,
                        const ResponseFile& response) override;

 private:
  /// Answers an arrival that never becomes a job.
  void settle(Session& session, Arrival& arrival, Outcome outcome);
  void refuse(Session& session, Arrival& arrival, Failure failure);
  void enqueue(Session& session, Arrival arrival, Prepared prepared, MonotonicTime now);
  /// Brings back a request whose body was dropped. False: it ended (withdrawn, or answered).
  bool reload(Job& job, MonotonicTime now);
  void start(Job& job, MonotonicTime now);
  void on_recorded(JobId id, const Result<void>& result);
  void execute(Job& job, MonotonicTime now);
  /// It must not begin now: its destination asked for a pause while its start was recorded.
  void hold_back(Job& job);
  void renew_leases(Session& session, Duration lease, MonotonicTime now);
  void on_yield(JobId id);
  void on_done(JobId id, Outcome outcome);

  /// Ends an execution from outside, with `verdict` as its answer.
  void end(Job& job, Failure verdict);
  /// A job that the dispatcher handed out ends with an answer; `job` is gone afterwards.
  void conclude(Job& job, Outcome outcome);
  /// The same without an answer: it stays pending.
  void conclude_unanswered(Job& job);
  void withdraw_start(Job& job);
  void take_out_of_queue(Job& job);
  CancelResult cancel_accepted(Job& job, CancelWish wish);
  void cancel_waiting(Job& job, Failure verdict);
  /// Also says when an earlier run began it: its effects are unknown then.
  CancelResult answer_unread(Session& session, const std::string& stem, Failure verdict,
                             const std::optional<StartRecord>& earlier_start);
  bool may_repeat(const Arrival& arrival) const;
  Session& session_of(std::string_view root);

  Registry* registry_;
  Dispatcher& dispatcher_;
  const Clock& clock_;
  AnswerSender sender_;
  AtOnceCommands at_once_;
  JobTable jobs_;
  std::vector<Session*> sessions_;
  std::uint64_t endings_ = 0;
  JobId waited_to_ = 0;      ///< The newest job at the end of the last start_ready().
  bool is_closing_ = false;  ///< Nothing that waits will start any more.
};

}  // namespace filecall::worker
