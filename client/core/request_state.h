// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "client/core/spend.h"

namespace filecall {
struct Response;
}

namespace filecall::client {

/// Where one request stands, from the client's side. The names on disk and in output are those of
/// the protocol: NEW, POLLING, WAITING, SUCCESS, GAVE_UP.
enum class RequestState : std::uint8_t { kNew, kPolling, kWaiting, kSuccess, kGaveUp };
inline constexpr int kRequestStateCount = 5;
std::string_view to_string(RequestState state);
std::optional<RequestState> parse_request_state(std::string_view name);
constexpr bool is_final(RequestState s) {
  return s == RequestState::kSuccess || s == RequestState::kGaveUp;
}

/// What people see of a request, in any state.
struct RequestFacts {
  std::string request_id;
  std::string command;
  RequestState state = RequestState::kNew;
  int attempts = 0;                     ///< Begun; 0 for NEW, and while all were given back.
  std::optional<ErrorCode> error_code;  ///< Of the last attempt; absent on success.
  std::string error_message;
  WallTime submitted_at{};  ///< First dropped.
  WallTime asked_at{};  ///< The same in the run that ended it, if it did not wait in the worker.
  std::int64_t queued_ms = 0;  ///< Of the last attempt, from the worker's timing; 0 if unknown.
  std::int64_t run_ms = 0;
  Spend spend;  ///< Of all attempts.
};

/// Given up before its first attempt, since whom it waits for was given up.
inline bool is_never_asked(RequestState state, int attempts, std::optional<ErrorCode> code) {
  return state == RequestState::kGaveUp && attempts == 0 && code == ErrorCode::kFailedPrecondition;
}
inline bool is_never_asked(const RequestFacts& facts) {
  return is_never_asked(facts.state, facts.attempts, facts.error_code);
}

/// How one request ended; what results, summaries and reports are made from. The state is final.
struct RequestOutcome : RequestFacts {
  WallTime finished_at{};       ///< Final outcome seen.
  std::int64_t latency_ms = 0;  ///< Asked to finished, retries and waiting included.
  /// Ended in an earlier run of the same batch; counted, but not part of this run's latencies.
  bool from_earlier_run = false;
  bool is_followed = false;  ///< The same, and another client ended it since this one began.
  bool is_cached = false;    ///< Answered from a cache, in this run.
  int run = 0;               ///< Of the submission; see RunId.
  /// What ended it, parsed: the answer of a success, the final failure else. Null when it was not
  /// read in this run (it ended earlier, or came out of the cache): its file has it.
  std::shared_ptr<const Response> response;
};

}  // namespace filecall::client
