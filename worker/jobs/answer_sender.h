// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "ipc/response.h"
#include "worker/core/start_record.h"
#include "worker/exec/executor.h"
#include "worker/jobs/job.h"
#include "worker/jobs/session.h"

namespace filecall::worker {

/// Makes the response of an outcome and hands it to the source: its timing, its text, the counts of
/// the session, and the end of holding. Loop thread only; sessions must outlive it.
class AnswerSender {
 public:
  /// `instance`: the worker's name in every response.
  AnswerSender(std::string instance, const Clock& clock)
      : instance_(std::move(instance)), clock_(clock) {}

  /// The answer to an arrival that never became a job. `started_at`: when its command was executed,
  /// if it was.
  void answer(Session& session, Arrival& arrival, Outcome outcome, bool may_repeat,
              std::optional<WallTime> started_at = std::nullopt);
  /// The answer to a job that was handed out by the dispatcher. The job's stem, metadata and record
  /// are moved from.
  void answer(Job& job, Outcome outcome, MonotonicTime now);

 private:
  void send(Session& session, Response response, std::optional<StartRecord> start, bool may_repeat);

  std::string instance_;
  const Clock& clock_;
};

}  // namespace filecall::worker
