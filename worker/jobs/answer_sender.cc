// SPDX-License-Identifier: MIT
#include "worker/jobs/answer_sender.h"

#include <utility>

#include "base/log.h"
#include "ipc/assemble_response.h"
#include "ipc/json_discard.h"

namespace filecall::worker {
namespace {

void note(const Response& response) {
  log_debug("{}: {} after {} ms", response.request_id,
            response.is_success() ? "success" : to_string(response.failure->code),
            response.timing->run_ms);
}

}  // namespace

void AnswerSender::send(Session& session, Response response, std::optional<StartRecord> start,
                        bool may_repeat) {
  response.worker = instance_;
  std::int64_t& count = response.is_success() ? session.successes : session.errors;
  ++session.undelivered;
  std::string bytes = render_response(response);
  discard(response.data);
  Answer answer{std::move(response.request_id), std::move(bytes), start, may_repeat};
  session.source->answer(std::move(answer),
                         [&session, &count](std::string_view stem, bool is_first) {
                           // What no disk has taken is no answer yet.
                           if (is_first) ++count;
                           --session.undelivered;
                           session.source->settle(stem, Settlement::kAnswered);
                         });
}

void AnswerSender::answer(Session& session, Arrival& arrival, Outcome outcome, bool may_repeat,
                          std::optional<WallTime> started_at) {
  Response response = assemble_response(std::move(arrival.stem), std::move(outcome));
  if (arrival.content) response.metadata = std::move(arrival.content->metadata);
  if (session.is_shared()) response.user = arrival.user;
  const WallTime finished_at = clock_.wall();
  ResponseTiming timing;
  timing.received_at = arrival.received_at;
  timing.started_at = started_at.value_or(finished_at);
  timing.finished_at = finished_at;
  timing.queued_ms = to_ms(timing.started_at - timing.received_at);
  timing.run_ms = to_ms(timing.finished_at - timing.started_at);
  response.timing = timing;
  note(response);
  send(session, std::move(response), arrival.earlier_start, may_repeat);
}

void AnswerSender::answer(Job& job, Outcome outcome, MonotonicTime now) {
  Response response = assemble_response(job.stem, std::move(outcome));
  if (job.request) response.metadata = std::move(job.request->metadata);
  if (job.session->is_shared()) response.user = job.user;
  ResponseTiming timing;
  timing.finished_at = clock_.wall();
  timing.received_at = job.received_at;
  timing.started_at = job.started_at == WallTime{} ? timing.finished_at : job.started_at;
  const bool has_begun = job.began_at != MonotonicTime{};
  timing.queued_ms = to_ms((has_begun ? job.began_at : now) - job.noticed_at);
  timing.run_ms = has_begun ? to_ms(now - job.began_at) : 0;
  response.timing = timing;
  note(response);
  send(*job.session, std::move(response), job.record, job.executor->info().may_repeat);
}

}  // namespace filecall::worker
