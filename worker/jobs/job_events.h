// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "ipc/request.h"
#include "worker/engine/source.h"
#include "worker/exec/executor.h"
#include "worker/jobs/job.h"
#include "worker/jobs/session.h"

namespace filecall::worker {

/// What stands in a request's events beside what its executor says: the end. The executor writes
/// to a sink of its own, the job keeps it, so that `finished` follows a cancel or a time-out, too.

/// For ExecutionContext::open_events. Null also for no job: it has ended.
std::unique_ptr<EventSink> open_job_events(Job* job);
/// {event: finished, status, error_code}, if the job has events.
void write_finished(Job& job, const Outcome& outcome);
/// {event: given_back}: it ended without an answer and stays pending.
void write_given_back(Job& job);
/// An earlier worker began it, and it is answered without another start.
void write_finished(Session& session, const Arrival& arrival, const Outcome& outcome);

}  // namespace filecall::worker
