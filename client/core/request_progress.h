// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "client/core/answer_version.h"
#include "client/core/request_state.h"

namespace filecall::client {

/// Why a `cancelled` response may be on its way.
enum class CancelMark : std::uint8_t {
  kNone,
  kTimeout,  ///< The attempt ran out of time and its cancellation is awaited.
  kUser,     ///< Somebody asked; nothing follows it.
  kLate,     ///< The wait for kTimeout's answer ended without one; it may still come.
};
inline constexpr int kCancelMarkCount = 4;
std::string_view to_string(CancelMark mark);
std::optional<CancelMark> parse_cancel_mark(std::string_view name);

/// All that must survive the client's death to continue one request. Durable in the state
/// database before any step that others can see.
struct RequestProgress {
  RequestState state = RequestState::kNew;
  int attempt = 0;     ///< Attempts begun: 0 in NEW, >= 1 otherwise.
  int pauses = 0;      ///< Of these, answered "come back later": RetryPolicy::pause().
  Duration paused{};   ///< What the pauses took of RetryPolicy::pause_max.
  int given_back = 0;  ///< Of these, given back by the worker before they began.
  CancelMark cancel = CancelMark::kNone;
  /// The error response that was counted already: to be deleted before the next attempt, and not to
  /// be counted again if a crash left it in place. In GAVE_UP: the final one.
  std::optional<AnswerVersion> counted_response;
  std::optional<ErrorCode> error_code;  ///< Of the latest failed attempt; absent in SUCCESS.
  std::string error_message;
  bool copied = false;    ///< The copy in failed/ is complete; also of what is tried again.
  WallTime changed_at{};  ///< Of the latest step.
  WallTime due_at{};      ///< WAITING: when the next attempt begins.

  /// Attempts that count: 1..attempts_max once begun, 0 after a pause of the first.
  int counted_attempts() const { return attempt - pauses; }
  /// Attempts that the worker may have begun: what people are shown.
  int begun_attempts() const { return std::max(attempt - given_back, 0); }
  /// Final, and nothing is left to be done: what was given up has its copy in failed/.
  bool is_settled() const {
    return state == RequestState::kSuccess || (state == RequestState::kGaveUp && copied);
  }
  bool operator==(const RequestProgress&) const = default;
};

inline bool is_never_asked(const RequestProgress& progress) {
  return is_never_asked(progress.state, progress.attempt, progress.error_code);
}

}  // namespace filecall::client
