// SPDX-License-Identifier: MIT
#include "worker/jobs/job_table.h"

#include "base/check.h"
#include "ipc/limits.h"
#include "worker/core/verdicts.h"

namespace filecall::worker {

Duration Job::allowed() const { return allowed_time(request->timeout_ms, plan.timeout); }

Job& JobTable::add(std::unique_ptr<Job> job) {
  job->id = next_id_++;
  if (waiting_bytes_ + job->bytes <= limits::kWaitingBytesMax) {
    waiting_bytes_ += job->bytes;
  } else {
    job->request.reset();
  }
  job->session->jobs.emplace(job->stem, job->id);
  Job& added = *job;
  jobs_.emplace(added.id, std::move(job));
  return added;
}

Job* JobTable::find(JobId id) {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : found->second.get();
}

Job* JobTable::find(const Session& session, std::string_view stem) {
  const auto found = session.jobs.find(stem);
  return found == session.jobs.end() ? nullptr : &at(found->second);
}

Job& JobTable::at(JobId id) {
  Job* job = find(id);
  CHECK(job != nullptr, "a job lives until it is erased");
  return *job;
}

void JobTable::leave_queue(Job& job) {
  if (job.request) waiting_bytes_ -= job.bytes;
}

void JobTable::enter_queue(Job& job) {
  job.step = Job::Step::kWaiting;
  waiting_bytes_ += job.bytes;
}

void JobTable::begin(Job& job, MonotonicTime now) {
  job.step = Job::Step::kExecuting;
  job.began_at = now;
  const Duration allowed = job.allowed();
  if (allowed == Duration::zero()) return;
  job.deadline = Deadline::after(now, allowed);
  deadlines_.emplace(job.deadline.when(), job.id);
}

void JobTable::clear_deadline(Job& job) {
  if (!job.deadline.is_never()) deadlines_.erase({job.deadline.when(), job.id});
  job.deadline = Deadline::never();
}

Job* JobTable::take_expired(MonotonicTime now) {
  if (deadlines_.empty() || deadlines_.begin()->first > now) return nullptr;
  Job& job = at(deadlines_.begin()->second);
  clear_deadline(job);
  return &job;
}

Deadline JobTable::next_deadline() const {
  return deadlines_.empty() ? Deadline::never() : Deadline::at(deadlines_.begin()->first);
}

void JobTable::erase(Job& job) {
  job.session->jobs.erase(job.stem);
  if (job.execution) finished_.push_back(std::move(job.execution));
  jobs_.erase(job.id);
}

std::vector<JobId> JobTable::ids() const {
  std::vector<JobId> ids;
  ids.reserve(jobs_.size());
  for (const auto& [id, job] : jobs_) ids.push_back(id);
  return ids;
}

std::size_t JobTable::started_in(const Session& session) const {
  std::size_t count = 0;
  for (const auto& [id, job] : jobs_) {
    count += job->session == &session && job->step != Job::Step::kWaiting ? 1u : 0u;
  }
  return count;
}

}  // namespace filecall::worker
