// SPDX-License-Identifier: MIT
#include "worker/jobs/ownership.h"

namespace filecall::worker {

bool may_change(std::uint32_t user, const Session& session, const Job* job,
                std::string_view request_id) {
  if (!session.is_shared() || user == session.files->ruler()) return true;
  const auto owner = session.files->owner_of(request_id);
  if (job == nullptr) return owner == user;
  return job->user == user && owner.value_or(user) == user;
}

bool is_known(const Session& session, const Job* job, std::string_view request_id) {
  return job != nullptr || (session.is_shared() && session.files->owner_of(request_id));
}

bool is_replaced(const Job& job) {
  if (!job.session->is_shared()) return false;
  const auto owner = job.session->files->owner_of(job.stem);
  return owner && *owner != job.user;
}

}  // namespace filecall::worker
