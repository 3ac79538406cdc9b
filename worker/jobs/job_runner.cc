// SPDX-License-Identifier: MIT
#include "worker/jobs/job_runner.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "worker/core/recovery_plan.h"
#include "worker/core/verdicts.h"
#include "worker/jobs/job_ending.h"
#include "worker/jobs/job_events.h"
#include "worker/jobs/ownership.h"

namespace filecall::worker {
namespace {

constexpr int kExtensionsPerLease = 3;

std::optional<Duration> retry_after_of(const Failure& failure) {
  if (!failure.retry_after_ms) return std::nullopt;
  return milliseconds(*failure.retry_after_ms);
}

}  // namespace

JobRunner::JobRunner(Registry& registry, Dispatcher& dispatcher, std::string instance,
                     const Clock& clock)
    : registry_(&registry),
      dispatcher_(dispatcher),
      clock_(clock),
      sender_(std::move(instance), clock),
      at_once_(sender_, clock) {}

void JobRunner::accept(Session& session, Arrival arrival, MonotonicTime now) {
  if (auto earlier = earlier_outcome(arrival)) {
    write_finished(session, arrival, *earlier);
    return settle(session, arrival, *std::move(earlier));
  }
  if (arrival.is_outside) return refuse(session, arrival, no_member());
  if (!arrival.content) return refuse(session, arrival, bad_input(arrival.content.error()));
  auto prepared = registry_->prepare(*arrival.content);
  if (!prepared) return refuse(session, arrival, std::move(prepared).error());
  if (prepared->plan.destination.empty()) {
    at_once_.execute(session, std::move(arrival), *prepared->executor);
  } else if (!dispatcher_.may_wait({session.index, arrival.user})) {
    refuse(session, arrival, too_many_wait(dispatcher_.user_limits().waiting_max));
  } else {
    enqueue(session, std::move(arrival), *std::move(prepared), now);
  }
}

bool JobRunner::may_repeat(const Arrival& arrival) const {
  return arrival.content && !arrival.earlier_start && registry_->may_repeat(*arrival.content);
}

void JobRunner::settle(Session& session, Arrival& arrival, Outcome outcome) {
  ++endings_;
  sender_.answer(session, arrival, std::move(outcome), may_repeat(arrival));
}

void JobRunner::refuse(Session& session, Arrival& arrival, Failure failure) {
  settle(session, arrival, std::move(failure));
}

void JobRunner::enqueue(Session& session, Arrival arrival, Prepared prepared, MonotonicTime now) {
  auto made = std::make_unique<Job>();
  made->session = &session;
  made->stem = std::move(arrival.stem);
  made->user = arrival.user;
  made->bytes = arrival.bytes;
  made->executor = prepared.executor;
  made->plan = std::move(prepared.plan);
  made->record = arrival.earlier_start;
  made->received_at = arrival.received_at;
  made->noticed_at = arrival.noticed_at;
  made->request = *std::move(arrival.content);
  const int priority = made->request->priority;
  Job& job = jobs_.add(std::move(made));
  const Route route{job.plan.destination, job.plan.lane, job.executor->info().name};
  dispatcher_.enqueue(job.id, {session.index, job.user}, route, priority, now, job.plan.tokens);
}

void JobRunner::start_ready(MonotonicTime now) {
  jobs_.drop_finished();
  while (const auto id = dispatcher_.next(now)) start(jobs_.at(*id), now);
  waited_to_ = jobs_.newest();
}

bool JobRunner::reload(Job& job, MonotonicTime now) {
  auto again = job.session->source->read_again(job.stem, now);
  if (!again) {
    log_info("{}: withdrawn before it started: {}", job.stem, again.error().message);
    conclude_unanswered(job);
    return false;
  }
  if (again->user != job.user) {
    log_info("{}: withdrawn before it started: another user's request is there", job.stem);
    conclude_unanswered(job);
    return false;
  }
  if (!again->content) {
    conclude(job, bad_input(again->content.error()));
    return false;
  }
  // The request may have changed while it waited: what runs is what was checked.
  auto prepared = registry_->prepare(*again->content);
  if (!prepared) {
    conclude(job, std::move(prepared).error());
    return false;
  }
  job.request = *std::move(again->content);
  job.executor = prepared->executor;
  std::string destination = std::move(job.plan.destination);
  std::string lane = std::move(job.plan.lane);
  job.plan = std::move(prepared->plan);
  job.plan.destination = std::move(destination);
  job.plan.lane = std::move(lane);
  return true;
}

void JobRunner::start(Job& job, MonotonicTime now) {
  job.step = Job::Step::kRecording;
  jobs_.leave_queue(job);
  // What was taken in this turn was pending then; if it may repeat, no answer was looked for.
  const bool was_seen = job.id > waited_to_ && !job.executor->info().may_repeat;
  if (!was_seen && (!job.session->source->is_pending(job.stem) || is_replaced(job))) {
    log_info("{}: withdrawn before it started: its file is gone, or it has a response", job.stem);
    withdraw_start(job);
    return conclude_unanswered(job);
  }
  if (!job.request && !reload(job, now)) return;
  job.started_at = clock_.wall();
  job.record = StartRecord{job.record ? job.record->starts + 1 : 1, job.plan.effects};
  job.session->source->record_start(
      {job.stem, job.request->command, *job.record, job.started_at},
      [this, id = job.id](const Result<void>& result) { on_recorded(id, result); });
}

void JobRunner::on_recorded(JobId id, const Result<void>& result) {
  Job& job = jobs_.at(id);
  if (!result) {
    // Not started, so nothing is lost: the answer says so and may be asked for again. What there
    // is of the record must go: a later worker would take it for a start.
    const bool is_first = !job.record || job.record->starts == 1;
    withdraw_start(job);
    return conclude(job, not_recorded(result.error(), is_first));
  }
  if (job.is_given_back) {
    withdraw_start(job);
    return conclude_unanswered(job);
  }
  if (job.verdict) return conclude(job, std::move(*job.verdict));
  const MonotonicTime now = clock_.monotonic();
  if (dispatcher_.is_paused(id, now)) return hold_back(job);
  execute(job, now);
}

void JobRunner::hold_back(Job& job) {
  // It was not started. A pause can be long: a crash in it must find no record that says it was.
  withdraw_start(job);
  if (is_closing_) return conclude_unanswered(job);
  dispatcher_.put_back(job.id);
  jobs_.enter_queue(job);
}

void JobRunner::execute(Job& job, MonotonicTime now) {
  jobs_.begin(job, now);
  const JobId id = job.id;
  log_debug("{}: {} begins", job.stem, job.executor->info().name);
  const ExecutionContext context{job.session->path, job.user,
                                 [this, id] { return open_job_events(jobs_.find(id)); },
                                 [this, id] { on_yield(id); }};
  auto execution = job.executor->start(
      *job.request, context, [this, id](Outcome outcome) { on_done(id, std::move(outcome)); });
  if (Job* still = jobs_.find(id)) still->execution = std::move(execution);
}

void JobRunner::on_yield(JobId id) {
  if (jobs_.find(id) == nullptr) return;  // It was ended from outside.
  ++endings_;
  dispatcher_.yield(id, clock_.monotonic());
}

void JobRunner::on_done(JobId id, Outcome outcome) {
  Job& job = jobs_.at(id);
  jobs_.clear_deadline(job);
  const bool is_answer = is_answer_anyway(job, outcome);
  if (job.is_given_back && !is_answer) {
    withdraw_start(job);
    return conclude_unanswered(job);
  }
  if (job.verdict && !is_answer) outcome = verdict_with_report(job, outcome);
  conclude(job, std::move(outcome));
}

void JobRunner::on_wake(MonotonicTime now) {
  while (Job* job = jobs_.take_expired(now)) {
    const Duration allowed = job->allowed();
    const bool is_bound = allowed == job->plan.timeout;
    end(*job, out_of_time(job->request->command, allowed,
                          is_bound ? job->plan.timeout_bound : std::string_view()));
  }
  for (Session* session : sessions_) {
    if (const Duration lease = session->source->state().lease; lease != Duration::zero()) {
      renew_leases(*session, lease, now);
    }
  }
}

void JobRunner::renew_leases(Session& session, Duration lease, MonotonicTime now) {
  if (!session.next_extension.is_never() && !session.next_extension.is_reached(now)) return;
  for (const auto& [stem, id] : session.jobs) session.source->extend(stem, now);
  at_once_.extend(session, now);
  session.next_extension = Deadline::after(now, lease / kExtensionsPerLease);
}

Deadline JobRunner::next_wake(MonotonicTime now) {
  Deadline wake = std::min(dispatcher_.next_wake(now), jobs_.next_deadline());
  for (const Session* session : sessions_) wake = std::min(wake, session->next_extension);
  return wake;
}

void JobRunner::end(Job& job, Failure verdict) {
  if (job.verdict || job.is_given_back) return;
  if (verdict.details.is_null()) verdict.details = Json::object();
  job.verdict = std::move(verdict);
  if (job.step == Job::Step::kExecuting && job.execution) job.execution->cancel();
}

void JobRunner::conclude(Job& job, Outcome outcome) {
  if (is_replaced(job)) {
    log_warn("{}: no response: its request was deleted, and another user's is there", job.stem);
    withdraw_start(job);
    return conclude_unanswered(job);
  }
  const MonotonicTime now = clock_.monotonic();
  ++endings_;
  dispatcher_.finish(job.id, outcome ? Feedback::kSuccess : feedback_of(outcome.error()),
                     outcome ? std::nullopt : retry_after_of(outcome.error()), now);
  write_finished(job, outcome);
  sender_.answer(job, std::move(outcome), now);
  jobs_.erase(job);
}

void JobRunner::conclude_unanswered(Job& job) {
  ++endings_;
  dispatcher_.finish(job.id, Feedback::kNeutral, {}, clock_.monotonic());
  write_given_back(job);
  job.session->source->settle(job.stem, Settlement::kReturned);
  jobs_.erase(job);
}

void JobRunner::withdraw_start(Job& job) {
  if (!job.record) return;
  job.session->source->withdraw_start(job.stem, *job.record);
  job.record.reset();
}

void JobRunner::take_out_of_queue(Job& job) {
  CHECK(dispatcher_.remove(job.id), "a waiting job is in the dispatcher's queue");
  jobs_.leave_queue(job);
}

void JobRunner::give_back_waiting() {
  is_closing_ = true;
  for (const JobId id : jobs_.ids()) {
    Job& job = jobs_.at(id);
    if (job.step != Job::Step::kWaiting) continue;
    take_out_of_queue(job);
    job.session->source->settle(job.stem, Settlement::kReturned);
    jobs_.erase(job);
  }
}

void JobRunner::give_back_starting() {
  for (const JobId id : jobs_.ids()) {
    Job& job = jobs_.at(id);
    if (job.step == Job::Step::kRecording) job.is_given_back = true;
  }
}

void JobRunner::interrupt_executing() {
  at_once_.give_back();
  for (const JobId id : jobs_.ids()) {
    Job* job = jobs_.find(id);
    if (job == nullptr) continue;
    const bool is_unseen = job->step == Job::Step::kRecording;
    const bool is_known =
        job->plan.effects == Effects::kNone || job->executor->info().tells_effects;
    if (is_unseen || (is_known && !job->verdict)) {
      job->is_given_back = true;
      if (job->step == Job::Step::kExecuting && job->execution) job->execution->cancel();
    } else {
      end(*job, interrupted_by_stop());
    }
  }
}

void JobRunner::abandon_executing() {
  for (const JobId id : jobs_.ids()) {
    Job& job = jobs_.at(id);
    if (job.step == Job::Step::kExecuting && job.plan.effects == Effects::kNone) {
      withdraw_start(job);
    }
  }
}

Session& JobRunner::session_of(std::string_view root) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                  [&](const Session* session) { return session->path == root; });
  CHECK(found != sessions_.end(), "a request comes from a root that is served");
  return **found;
}

DiscardResult JobRunner::discard(std::string_view root, std::uint32_t user,
                                 std::string_view request_id, const ResponseFile& response) {
  Session& session = session_of(root);
  if (session.files == nullptr) return DiscardResult::kUnsupported;
  if (!may_change(user, session, jobs_.find(session, request_id), request_id)) {
    return DiscardResult::kForbidden;
  }
  return session.files->discard(request_id, response);
}

void JobRunner::cancel(std::string_view root, std::uint32_t user, std::string_view request_id,
                       CancelWish wish, std::function<void(CancelResult)> done) {
  Session& session = session_of(root);
  if (!may_change(user, session, jobs_.find(session, request_id), request_id)) {
    return done(is_known(session, jobs_.find(session, request_id), request_id)
                    ? CancelResult::kForbidden
                    : CancelResult::kUnknown);
  }
  if (Job* job = jobs_.find(session, request_id)) {
    return done(cancel_accepted(*job, wish));
  }
  session.source->cancel(
      request_id, [this, &session, wish, stem = std::string(request_id), done = std::move(done)](
                      SourceCancel result, const std::optional<StartRecord>& earlier_start) {
        switch (result) {
          case SourceCancel::kHeld:
            return done(answer_unread(session, stem, verdict_before_start(wish, !earlier_start),
                                      earlier_start));
          case SourceCancel::kEnding:
            return done(CancelResult::kExecuting);
          case SourceCancel::kAnswered:
            return done(CancelResult::kAnswered);
          case SourceCancel::kUnknown:
            return done(CancelResult::kUnknown);
        }
      });
}

CancelResult JobRunner::cancel_accepted(Job& job, CancelWish wish) {
  if (job.step == Job::Step::kWaiting) {
    cancel_waiting(job, verdict_before_start(wish, !job.record));
    return CancelResult::kQueued;
  }
  const bool has_begun = job.step == Job::Step::kExecuting;
  if (wish.only_waiting) {
    if (has_begun) return CancelResult::kExecuting;
    end(job, verdict_before_start(wish, !job.record || job.record->starts <= 1));
    return CancelResult::kQueued;
  }
  end(job, has_begun || !wish.withdraws ? verdict_while_executing(job, wish) : withdrawn());
  return CancelResult::kExecuting;
}

void JobRunner::cancel_waiting(Job& job, Failure verdict) {
  take_out_of_queue(job);
  Session& session = *job.session;
  Arrival arrival;
  arrival.stem = job.stem;
  arrival.received_at = job.received_at;
  arrival.earlier_start = job.record;
  if (job.request) arrival.content = std::move(*job.request);
  jobs_.erase(job);
  refuse(session, arrival, std::move(verdict));
}

CancelResult JobRunner::answer_unread(Session& session, const std::string& stem, Failure verdict,
                                      const std::optional<StartRecord>& earlier_start) {
  Arrival arrival;
  arrival.stem = stem;
  arrival.received_at = clock_.wall();
  arrival.earlier_start = earlier_start;
  const RecoveryStep step = earlier_start ? plan_recovery(*earlier_start) : RecoveryStep::kRunAgain;
  const bool would_run = step == RecoveryStep::kRunAgain;
  refuse(session, arrival,
         would_run ? std::move(verdict) : recovery_failure(step, earlier_start->starts));
  return CancelResult::kQueued;
}

}  // namespace filecall::worker
