// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "worker/core/dispatcher.h"
#include "worker/jobs/job.h"

namespace filecall::worker {

/// The jobs of a worker: by id, by request, by deadline, and what their bodies weigh while they
/// wait. Decides nothing. A job's address is constant until erase(). Loop thread only.
class JobTable {
 public:
  /// Takes a job that waits, and gives it its id. Its body is dropped when the bodies that wait
  /// weigh too much.
  Job& add(std::unique_ptr<Job> job);
  /// Null: it is gone.
  Job* find(JobId id);
  /// The job of a request; null: none.
  Job* find(const Session& session, std::string_view stem);
  /// A job that must be there.
  Job& at(JobId id);

  /// A job that waited goes its way (it starts, or ends): its body weighs nothing more.
  void leave_queue(Job& job);
  /// It waits again.
  void enter_queue(Job& job);
  /// Its execution begins; with a deadline when its time is limited.
  void begin(Job& job, MonotonicTime now);
  void clear_deadline(Job& job);
  /// Takes a job whose time is over; null: there is none (more).
  Job* take_expired(MonotonicTime now);
  Deadline next_deadline() const;

  /// Its execution may be what is calling: it is destroyed by drop_finished().
  void erase(Job& job);
  void drop_finished() { finished_.clear(); }

  /// The id that was given last; ids grow.
  JobId newest() const { return next_id_ - 1; }
  std::size_t size() const { return jobs_.size(); }
  bool empty() const { return jobs_.empty(); }
  /// Jobs may be erased while the result is walked: ask find() for each.
  std::vector<JobId> ids() const;
  std::size_t started_in(const Session& session) const;

 private:
  std::unordered_map<JobId, std::unique_ptr<Job>> jobs_;
  std::vector<std::unique_ptr<Execution>> finished_;
  std::set<std::pair<MonotonicTime, JobId>> deadlines_;
  std::size_t waiting_bytes_ = 0;
  JobId next_id_ = 1;
};

}  // namespace filecall::worker
