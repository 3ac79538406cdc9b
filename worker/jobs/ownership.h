// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "worker/jobs/job.h"
#include "worker/jobs/session.h"

namespace filecall::worker {

/// Whose requests are, where several users drop them (RootFiles::is_shared). Elsewhere everybody
/// who can drop requests may do everything.

/// Whether the user may end a request and have it asked again. `job`: what runs or waits under its
/// id; null: nothing.
bool may_change(std::uint32_t user, const Session& session, const Job* job,
                std::string_view request_id);
/// Whether there is such a request, for what is refused.
bool is_known(const Session& session, const Job* job, std::string_view request_id);
/// Whether another user has dropped a request under the id of a job since it was read.
bool is_replaced(const Job& job);

}  // namespace filecall::worker
