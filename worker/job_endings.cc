// SPDX-License-Identifier: MIT
// How a job ends: with an answer, or given back unanswered. (How it gets there: job_runner.cc.)
#include <fmt/core.h>

#include <utility>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "ipc/json_discard.h"
#include "ipc/response.h"
#include "os/clock.h"
#include "worker/job_runner.h"

namespace filecall::worker {
namespace {

Failure cancelled() {
  Failure failure;
  failure.code = ErrorCode::kCancelled;
  failure.message = "cancelled by a system.cancel request";
  return failure;
}

Failure interrupted_by_stop() {
  Failure failure;
  failure.code = ErrorCode::kAborted;
  failure.retryable = false;
  failure.message =
      "interrupted; effects unknown: the worker was stopped while this command ran; look at its "
      "effects, then send a new request if it must run";
  return failure;
}

Feedback feedback_of(const Outcome& outcome) {
  if (outcome) return Feedback::kSuccess;
  const Failure& failure = outcome.error();
  // What no retry will change (no quota left, an answer too large) says nothing about load.
  const bool overload =
      (failure.code == ErrorCode::kResourceExhausted && failure.is_retryable()) ||
      (failure.code == ErrorCode::kUnavailable && failure.retry_after_ms.has_value());
  return overload ? Feedback::kOverload : Feedback::kNeutral;
}

std::optional<Duration> retry_after_of(const Outcome& outcome) {
  if (outcome || !outcome.error().retry_after_ms) return std::nullopt;
  return milliseconds(*outcome.error().retry_after_ms);
}

Response make_response(std::string_view stem, Outcome outcome) {
  Response response;
  response.request_id = stem;
  if (!outcome) {
    response.failure = std::move(outcome).error();
  } else {
    response.data = *std::move(outcome);
  }
  return response;
}

}  // namespace

void JobRunner::publish(RootSession& session, Response response,
                        std::optional<spool::StartRecordName> record, bool may_repeat) {
  response.worker = instance_;
  std::int64_t& count = response.is_success() ? session.counts.success : session.counts.error;
  ++count;
  std::string bytes = render_response(response);
  discard(response.data);
  std::string stem = std::move(response.request_id);
  outbox_.answer(*session.source, stem, std::move(bytes), std::move(record), may_repeat,
                 [&session, &count, stem](bool is_first) {
                   if (!is_first) --count;
                   session.source->release(stem);
                 });
}

void JobRunner::answer_arrival(RootSession& session, spool::Arrival& arrival, Outcome outcome,
                               std::optional<spool::StartRecordName> record,
                               std::optional<WallTime> started_at) {
  ++endings_;
  Response response = make_response(arrival.stem, std::move(outcome));
  bool may_repeat = false;
  if (arrival.content) {
    may_repeat = registry_.may_repeat(*arrival.content) && !record;
    response.metadata = std::move(arrival.content->metadata);
  }
  const WallTime finished_at = wall_now();
  ResponseTiming timing;
  timing.received_at = arrival.received_at;
  timing.started_at = started_at.value_or(finished_at);
  timing.finished_at = finished_at;
  timing.queued_ms = to_ms(timing.started_at - timing.received_at);
  timing.run_ms = to_ms(timing.finished_at - timing.started_at);
  response.timing = timing;
  publish(session, std::move(response), std::move(record), may_repeat);
}

void JobRunner::conclude(Job& job, Outcome outcome) {
  const MonotonicTime now = monotonic_now();
  ++endings_;
  dispatcher_.finish(job.id, feedback_of(outcome), retry_after_of(outcome), now);
  Response response = make_response(job.stem, std::move(outcome));
  if (job.request) response.metadata = std::move(job.request->metadata);
  ResponseTiming timing;
  timing.finished_at = wall_now();
  timing.received_at = job.received_at;
  timing.started_at = job.started_at == WallTime{} ? timing.finished_at : job.started_at;
  const bool has_begun = job.began_at != MonotonicTime{};
  timing.queued_ms = to_ms((has_begun ? job.began_at : now) - job.noticed_at);
  timing.run_ms = has_begun ? to_ms(now - job.began_at) : 0;
  response.timing = timing;
  RootSession& session = *job.session;
  const bool may_repeat = job.executor->info().may_repeat;
  auto record = std::move(job.record);
  erase(job);
  publish(session, std::move(response), std::move(record), may_repeat);
}

void JobRunner::conclude_unanswered(Job& job) {
  ++endings_;
  dispatcher_.finish(job.id, Feedback::kNeutral, {}, monotonic_now());
  job.session->source->release(job.stem);
  erase(job);
}

void JobRunner::forget_record(Job& job) {
  if (!job.record) return;
  if (const auto forgotten = job.session->source->forget_start(*job.record); !forgotten) {
    log_error("{}: start record not removed: {}", job.stem, forgotten.error().message);
  }
}

void JobRunner::erase(Job& job) {
  job.session->jobs.erase(job.stem);
  // Its execution may be what is calling us: it is destroyed at the next turn.
  if (job.execution) finished_.push_back(std::move(job.execution));
  jobs_.erase(job.id);
}

void JobRunner::give_back_waiting() {
  is_closing_ = true;
  std::vector<JobId> waiting;
  for (const auto& [id, job] : jobs_) {
    if (job->step == Job::Step::kWaiting) waiting.push_back(id);
  }
  for (const JobId id : waiting) {
    Job& job = *jobs_.at(id);
    CHECK(dispatcher_.remove(id), "a waiting job is in the dispatcher's queue");
    if (job.request) waiting_bytes_ -= job.bytes;
    job.session->source->release(job.stem);
    erase(job);
  }
}

void JobRunner::interrupt_executing() {
  std::vector<JobId> running;
  for (const auto& [id, job] : jobs_) running.push_back(id);
  for (const JobId id : running) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) continue;
    Job& job = *found->second;
    if (job.step == Job::Step::kRecording || (job.plan.effects == Effects::kNone && !job.verdict)) {
      job.is_given_back = true;
      if (job.step == Job::Step::kExecuting && job.execution) job.execution->cancel();
    } else {
      end(job, interrupted_by_stop());
    }
  }
}

void JobRunner::abandon_executing() {
  for (const auto& [id, job] : jobs_) {
    if (job->step == Job::Step::kExecuting && job->plan.effects == Effects::kNone) {
      forget_record(*job);
    }
  }
}

CancelResult JobRunner::cancel(std::string_view root, std::string_view request_id) {
  RootSession* session = nullptr;
  for (RootSession* candidate : sessions_) {
    if (candidate->path == root) session = candidate;
  }
  CHECK(session != nullptr, "a request comes from a root that is served");
  const auto found = session->jobs.find(request_id);
  if (found == session->jobs.end()) return cancel_unread(*session, request_id);
  Job& job = *jobs_.at(found->second);
  if (job.step != Job::Step::kWaiting) {
    end(job, cancelled());
    return CancelResult::kExecuting;
  }
  CHECK(dispatcher_.remove(job.id), "a waiting job is in the dispatcher's queue");
  if (job.request) waiting_bytes_ -= job.bytes;
  spool::Arrival arrival;
  arrival.stem = job.stem;
  arrival.received_at = job.received_at;
  if (job.request) arrival.content = std::move(*job.request);
  auto record = std::move(job.record);
  erase(job);
  answer_arrival(*session, arrival, cancelled(), std::move(record));
  return CancelResult::kQueued;
}

CancelResult JobRunner::cancel_unread(RootSession& session, std::string_view request_id) {
  if (!session.source->is_pending(request_id)) {
    return session.source->is_answered(request_id) ? CancelResult::kAnswered
                                                   : CancelResult::kUnknown;
  }
  // Held, so that it is not handed out and started while its answer is on the way. Held already:
  // its own answer is on the way.
  if (!session.source->hold(request_id)) return CancelResult::kAnswered;
  spool::Arrival arrival;
  arrival.stem = request_id;
  arrival.received_at = wall_now();
  answer_arrival(session, arrival, cancelled(), std::nullopt);
  return CancelResult::kQueued;
}

std::size_t JobRunner::executing_in(const RootSession& session) const {
  std::size_t count = 0;
  for (const auto& [id, job] : jobs_) {
    count += job->session == &session && job->step != Job::Step::kWaiting ? 1u : 0u;
  }
  return count;
}

}  // namespace filecall::worker
