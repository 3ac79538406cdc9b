// SPDX-License-Identifier: MIT
#include "worker/jobs/job_events.h"

#include <utility>

namespace filecall::worker {
namespace {

/// An executor's way to its job's events.
class SharedEvents final : public EventSink {
 public:
  explicit SharedEvents(std::shared_ptr<EventSink> sink) : sink_(std::move(sink)) {}
  bool write(const Json& event) override { return sink_->write(event); }

 private:
  std::shared_ptr<EventSink> sink_;
};

Json finished(const Outcome& outcome) {
  Json event = {{"event", "finished"}, {"status", outcome ? "success" : "error"}};
  if (!outcome) event["error_code"] = to_string(outcome.error().code);
  return event;
}

/// Whether it asked for events, in either place.
bool asks_for_events(const Request& request) {
  if (!request.params.is_object()) return request.stream;
  const auto found = request.params.find("stream");
  if (found == request.params.end() || !found->is_boolean()) return request.stream;
  return found->get<bool>();
}

}  // namespace

std::unique_ptr<EventSink> open_job_events(Job* job) {
  if (job == nullptr) return nullptr;
  if (!job->events) job->events = job->session->source->events(job->stem);
  if (!job->events) return nullptr;
  return std::make_unique<SharedEvents>(job->events);
}

void write_finished(Job& job, const Outcome& outcome) {
  if (job.events) job.events->write(finished(outcome));
}

void write_given_back(Job& job) {
  if (job.events) job.events->write({{"event", "given_back"}});
}

void write_finished(Session& session, const Arrival& arrival, const Outcome& outcome) {
  if (!arrival.content || !asks_for_events(*arrival.content)) return;
  const auto events = session.source->events(arrival.stem);
  if (events) events->write(finished(outcome));
}

}  // namespace filecall::worker
