// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "client/core/cancel_request.h"
#include "client/core/request_progress.h"
#include "client/core/retry_policy.h"
#include "ipc/response.h"

namespace filecall::client {

/// The rows of the machine's table: the protocol's states, with POLLING split by what is awaited.
enum class Stage : std::uint8_t {
  kNew,
  kPolling,     ///< An answer to attempt n is awaited.
  kTimingOut,   ///< POLLING; attempt n ran out of time, its cancellation is awaited.
  kCancelling,  ///< POLLING; somebody asked to end the request, its cancellation is awaited.
  kWaiting,
  kSuccess,
  kGaveUp,
};
inline constexpr int kStageCount = 7;
Stage stage_of(const RequestProgress& progress);

/// What can happen to a request.
enum class EventKind : std::uint8_t {
  kSubmit,              ///< Begin it, or continue it after the client's restart.
  kResponseSuccess,     ///< A success response is there.
  kResponseError,       ///< An error response is there.
  kResponseUnreadable,  ///< A response is there, stable, and is none.
  kAttemptTimeout,      ///< The attempt's time is over.
  kCancelTimeout,       ///< A cancel request was not answered in time.
  kBackoffElapsed,      ///< The wait before the next attempt is over.
  kUserRetry,           ///< Somebody wants it tried (again) now.
  kUserCancel,          ///< Somebody wants it ended.
  kResponseVanished,    ///< The counted error response is gone, and not by us.
  kRequestVanished,     ///< The request file is gone and no response is there.
  kCopied,              ///< The copy in failed/ is complete.
  kRefuse,              ///< It is not to be asked: whom it waits for was given up.
};
inline constexpr int kEventCount = 13;

struct Event {
  EventKind kind = EventKind::kSubmit;
  /// Response events: which file.
  AnswerVersion version{};
  /// kResponseError, kRefuse, and kResponseUnreadable's explanation.
  ErrorCode code = ErrorCode::kUnknown;
  std::string message{};
  bool retryable = true;
  std::optional<Duration> retry_after{};
  bool is_pause = false;             ///< What was called is at its limit: no failed attempt.
  bool is_given_back = false;        ///< The same, and the attempt never began.
  std::optional<Duration> outage{};  ///< For how long it cannot be reached.
};

/// The event that an answer is. Pure.
Event event_of(const Response& response, const AnswerVersion& version);

/// What the engine must do, in this order, after the new progress is durable.
enum class ActionKind : std::uint8_t {
  kRemoveFailedCopy,   ///< Remove failed/{id}.json: it succeeded after all.
  kSetAsideResponse,   ///< Keep the unreadable response as failed/{id}.json.unreadable-{attempt}.
  kDeleteResponse,     ///< Delete the response if it still is `version`.
  kDropRequest,        ///< Make sure that requests/{id}.json is there.
  kSendCancel,         ///< Drop a system.cancel request for `attempt`.
  kCopyResponse,       ///< Copy the response to failed/, then report kCopied.
  kWriteOwnFailure,    ///< Write an own response object to failed/, then report kCopied.
  kArmAttemptTimeout,  ///< From when the worker is ready.
  kArmCancelTimeout,
  kArmBackoff,  ///< `delay` from now.
};
inline constexpr int kActionCount = 10;

struct Action {
  ActionKind kind;
  AnswerVersion version{};
  int attempt = 0;
  Duration delay{};
  CancelWish wish = CancelWish::kEnd;  ///< kSendCancel
  bool operator==(const Action&) const = default;
};

struct Transition {
  RequestProgress next;
  std::vector<Action> actions;
  bool is_changed = false;  ///< `next` differs and must be made durable before the actions.
};

/// The request state machine: pure and total, every (stage, event) pair has a rule. A final state
/// is left only by kUserRetry out of GAVE_UP; an error response is counted once; whatever was
/// counted is deleted before the attempt after it. `now` stamps the change.
Transition step(const RequestProgress& progress, const Event& event, const RetryPolicy& policy,
                WallTime now, Random& random);

/// What the files under one id show, for a request that the database does not know.
struct FileEvidence {
  bool has_response = false;
  bool is_success = false;  ///< Meaningful only with has_response.
  bool has_failed_copy = false;
};
/// SUCCESS from a success response, GAVE_UP from a copy in failed/, else attempt 1: POLLING. An
/// error response is then fed to step() as an event and counts as attempt 1's failure.
RequestProgress infer_progress(const FileEvidence& files, WallTime now);
/// The same from the answer itself (null: none that is a response), with the error that it tells.
RequestProgress infer_progress(const Response* answer, bool has_failed_copy, WallTime now);

}  // namespace filecall::client
