// SPDX-License-Identifier: MIT
#include "worker/job_runner.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/duration.h"
#include "base/log.h"
#include "base/result.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "os/clock.h"
#include "worker/event_file.h"

namespace filecall::worker {
namespace {

Failure bad_input(const RequestFault& fault) {
  Failure failure;
  failure.code = ErrorCode::kInvalidArgument;
  failure.message = fault.message;
  failure.details = {{"pointer", fault.pointer}};
  return failure;
}

Failure out_of_time(const Request& request, Duration allowed) {
  Failure failure;
  failure.code = ErrorCode::kDeadlineExceeded;
  failure.message = fmt::format("{}: not finished after {}; raise timeout_ms, or ask for less",
                                request.command, format_duration(allowed));
  return failure;
}

/// The smaller of the request's and the executor's limits; zero: none.
Duration allowed_time(const Request& request, const ExecutionPlan& plan) {
  const Duration own =
      request.timeout_ms ? Duration(milliseconds(*request.timeout_ms)) : Duration::zero();
  if (own == Duration::zero() || plan.timeout == Duration::zero())
    return std::max(own, plan.timeout);
  return std::min(own, plan.timeout);
}

std::string start_record_text(const Job& job) {
  static const int pid = ::getpid();
  std::string out = "{\"command\":";
  append_json_string(out, job.request->command);
  out += ",\"effects\":";
  append_json_string(out, to_string(job.record->effects));
  out += ",\"pid\":";
  append_json_integer(out, pid);
  out += ",\"request_id\":";
  append_json_string(out, job.stem);
  out += ",\"started_at\":";
  append_json_string(out, format_rfc3339(job.started_at));
  out += ",\"starts\":";
  append_json_integer(out, job.record->starts);
  out += "}\n";
  return out;
}

}  // namespace

JobRunner::JobRunner(Registry& registry, Dispatcher& dispatcher, Outbox& outbox,
                     std::string instance)
    : registry_(registry),
      dispatcher_(dispatcher),
      outbox_(outbox),
      instance_(std::move(instance)) {}

std::optional<Failure> JobRunner::judge_interruption(
    RootSession& session, const std::string& stem, std::optional<spool::StartRecordName>& record) {
  if (session.interrupted.empty()) return std::nullopt;
  const auto found = session.interrupted.find(stem);
  if (found == session.interrupted.end()) return std::nullopt;
  record = found->second;
  session.interrupted.erase(found);
  const RecoveryStep step = plan_recovery({record->starts, record->effects});
  if (step == RecoveryStep::kRunAgain) return std::nullopt;
  return recovery_failure(step, record->starts);
}

void JobRunner::accept(RootSession& session, spool::Arrival arrival, MonotonicTime now) {
  std::optional<spool::StartRecordName> record;
  if (auto failure = judge_interruption(session, arrival.stem, record)) {
    answer_arrival(session, arrival, std::move(*failure), std::move(record));
    return;
  }
  if (!arrival.content) {
    answer_arrival(session, arrival, bad_input(arrival.content.error()), std::move(record));
    return;
  }
  const auto& request = *arrival.content;
  auto prepared = registry_.prepare(request);
  if (!prepared) {
    answer_arrival(session, arrival, std::move(prepared).error(), std::move(record));
    return;
  }
  auto& [executor, plan] = *prepared;
  if (plan.destination.empty()) {
    const WallTime started_at = wall_now();
    std::optional<Outcome> outcome;
    executor->start(request, {session.path},
                    [&outcome](Outcome result) { outcome = std::move(result); });
    CHECK(outcome.has_value(), "a command without a destination ends before start() returns");
    answer_arrival(session, arrival, std::move(*outcome), std::move(record), started_at);
    return;
  }
  enqueue(session, std::move(arrival), *executor, std::move(plan), std::move(record), now);
}

void JobRunner::enqueue(RootSession& session, spool::Arrival arrival, Executor& executor,
                        ExecutionPlan plan, std::optional<spool::StartRecordName> record,
                        MonotonicTime now) {
  auto job = std::make_unique<Job>();
  job->id = next_id_++;
  job->session = &session;
  job->stem = std::move(arrival.stem);
  job->bytes = arrival.bytes;
  job->executor = &executor;
  job->plan = std::move(plan);
  job->record = std::move(record);
  job->received_at = arrival.received_at;
  job->noticed_at = arrival.noticed_at;
  auto& request = *arrival.content;
  const int priority = request.priority;
  if (waiting_bytes_ + job->bytes <= limits::kWaitingBytesMax) {
    waiting_bytes_ += job->bytes;
    job->request = std::move(request);
  }
  session.jobs.emplace(job->stem, job->id);
  dispatcher_.enqueue(job->id, session.index, job->plan.destination, priority, now,
                      job->plan.tokens);
  jobs_.emplace(job->id, std::move(job));
}

void JobRunner::start_ready(MonotonicTime now) {
  finished_.clear();
  while (const auto id = dispatcher_.next(now)) start(*jobs_.at(*id), now);
}

bool JobRunner::reload(Job& job, MonotonicTime now) {
  auto again = job.session->source->read_again(job.stem, now);
  if (!again) {
    log_info("{}: withdrawn before it started: {}", job.stem, again.error().message);
    conclude_unanswered(job);
    return false;
  }
  if (!again->content) {
    conclude(job, bad_input(again->content.error()));
    return false;
  }
  // The file may have changed while it waited: what runs is what was checked.
  auto prepared = registry_.prepare(*again->content);
  if (!prepared) {
    conclude(job, std::move(prepared).error());
    return false;
  }
  job.request = *std::move(again->content);
  job.executor = prepared->executor;
  const std::string destination = std::move(job.plan.destination);
  job.plan = std::move(prepared->plan);
  job.plan.destination = destination;
  return true;
}

void JobRunner::start(Job& job, MonotonicTime now) {
  job.step = Job::Step::kRecording;
  if (job.request) {
    waiting_bytes_ -= job.bytes;
  } else if (!reload(job, now)) {
    return;
  }
  job.started_at = wall_now();
  job.record =
      spool::StartRecordName{job.stem, job.record ? job.record->starts + 1 : 1, job.plan.effects};
  outbox_.record_start(
      *job.session->source, *job.record, start_record_text(job),
      [this, id = job.id](const Result<void>& result) { on_recorded(id, result); });
}

void JobRunner::on_recorded(JobId id, const Result<void>& result) {
  Job& job = *jobs_.at(id);
  if (!result) {
    // Not started, so nothing is lost: the answer says so and may be asked for again. What there
    // is of the record must go: a later worker would take it for a start.
    Failure failure;
    failure.code = ErrorCode::kUnavailable;
    failure.message =
        fmt::format("not started: its start could not be recorded: {}", result.error().message);
    forget_record(job);
    job.record.reset();
    conclude(job, std::move(failure));
    return;
  }
  if (job.is_given_back) {
    forget_record(job);
    conclude_unanswered(job);
    return;
  }
  if (job.verdict) {
    conclude(job, std::move(*job.verdict));
    return;
  }
  if (dispatcher_.is_paused(id, monotonic_now())) return hold_back(job);
  execute(job);
}

void JobRunner::hold_back(Job& job) {
  // It was not started. A pause can be long: a crash in it must find no record that says it was.
  forget_record(job);
  if (is_closing_) return conclude_unanswered(job);
  job.record.reset();
  dispatcher_.put_back(job.id);
  job.step = Job::Step::kWaiting;
  waiting_bytes_ += job.bytes;
}

void JobRunner::execute(Job& job) {
  job.step = Job::Step::kExecuting;
  job.began_at = monotonic_now();
  const Duration allowed = allowed_time(*job.request, job.plan);
  if (allowed > Duration::zero()) {
    job.deadline = Deadline::after(job.began_at, allowed);
    deadlines_.emplace(job.deadline.when(), job.id);
  }
  const JobId id = job.id;
  const ExecutionContext context{
      job.session->path,
      [session = job.session, stem = job.stem] { return open_event_file(*session->source, stem); },
      [this, id] { on_yield(id); }};
  auto execution = job.executor->start(
      *job.request, context, [this, id](Outcome outcome) { on_done(id, std::move(outcome)); });
  const auto found = jobs_.find(id);
  if (found != jobs_.end()) found->second->execution = std::move(execution);
}

void JobRunner::on_yield(JobId id) {
  if (!jobs_.contains(id)) return;  // It was ended from outside.
  ++endings_;
  dispatcher_.yield(id, monotonic_now());
}

void JobRunner::on_done(JobId id, Outcome outcome) {
  Job& job = *jobs_.at(id);
  if (!job.deadline.is_never()) deadlines_.erase({job.deadline.when(), id});
  if (job.is_given_back) {
    forget_record(job);
    conclude_unanswered(job);
    return;
  }
  if (job.verdict) {
    if (job.execution) {
      Json partial = job.execution->partial();
      if (partial.is_object()) job.verdict->details.update(partial);
    }
    outcome = std::move(*job.verdict);
  }
  conclude(job, std::move(outcome));
}

void JobRunner::expire(MonotonicTime now) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    Job& job = *jobs_.at(deadlines_.begin()->second);
    deadlines_.erase(deadlines_.begin());
    job.deadline = Deadline::never();
    end(job, out_of_time(*job.request, allowed_time(*job.request, job.plan)));
  }
}

Deadline JobRunner::next_wake(MonotonicTime now) {
  const Deadline dispatch = dispatcher_.next_wake(now);
  if (deadlines_.empty()) return dispatch;
  return std::min(dispatch, Deadline::at(deadlines_.begin()->first));
}

void JobRunner::end(Job& job, Failure verdict) {
  if (job.verdict || job.is_given_back) return;
  if (verdict.details.is_null()) verdict.details = Json::object();
  job.verdict = std::move(verdict);
  if (job.step == Job::Step::kExecuting && job.execution) job.execution->cancel();
}

}  // namespace filecall::worker
