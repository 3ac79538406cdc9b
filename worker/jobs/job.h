// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "ipc/request.h"
#include "ipc/response.h"
#include "worker/core/dispatcher.h"
#include "worker/core/start_record.h"
#include "worker/exec/executor.h"
#include "worker/jobs/session.h"

namespace filecall::worker {

/// One accepted request on its way to an answer.
struct Job {
  enum class Step : std::uint8_t {
    kWaiting,    ///< In the dispatcher's queue.
    kRecording,  ///< Its start record is being made durable.
    kExecuting,  ///< Its executor works.
  };

  JobId id = 0;
  Session* session = nullptr;
  std::string stem;
  std::uint32_t user = 0;  ///< Who asks (Arrival::user).
  Step step = Step::kWaiting;
  /// Absent while it waits and memory was short: then it is read again before the start.
  std::optional<Request> request;
  std::size_t bytes = 0;
  Executor* executor = nullptr;
  ExecutionPlan plan;
  std::optional<StartRecord> record;
  std::shared_ptr<EventSink> events;  ///< Once its executor has opened them.
  std::unique_ptr<Execution> execution;
  /// Set when it is ended from outside (cancel, time-out, stop): the answer, whatever it reports.
  std::optional<Failure> verdict;
  /// A stop gave it back: it ends without an answer and stays pending.
  bool is_given_back = false;

  WallTime received_at{};
  MonotonicTime noticed_at{};
  WallTime started_at{};
  MonotonicTime began_at{};
  Deadline deadline;

  /// Zero: no limit.
  Duration allowed() const;
};

}  // namespace filecall::worker
