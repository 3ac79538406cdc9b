// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/core/request_state.h"

namespace filecall::client {

inline constexpr WallTime kTestStart{seconds(1'800'000'000)};

inline RequestOutcome success_outcome(std::string id, std::int64_t latency_ms, int attempts = 1) {
  RequestOutcome outcome;
  outcome.request_id = std::move(id);
  outcome.command = "system.echo";
  outcome.state = RequestState::kSuccess;
  outcome.attempts = attempts;
  outcome.latency_ms = latency_ms;
  outcome.run_ms = latency_ms / 2;
  outcome.submitted_at = kTestStart;
  outcome.finished_at = kTestStart + milliseconds(latency_ms);
  return outcome;
}

inline RequestOutcome gave_up_outcome(std::string id, ErrorCode code, std::string message) {
  RequestOutcome outcome = success_outcome(std::move(id), 30, 3);
  outcome.state = RequestState::kGaveUp;
  outcome.error_code = code;
  outcome.error_message = std::move(message);
  return outcome;
}

}  // namespace filecall::client
