// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "worker/exec/llm/wire_error.h"
#include "worker/net/http_message.h"

namespace filecall::worker::llm {

/// What kind of failure a call met: the row of the table that says what follows from it.
enum class ErrorClass : std::uint8_t {
  kRateLimited,
  kOverloaded,
  kColdStart,
  kQuota,
  kAuthentication,
  kPermission,
  kNotFound,
  kInvalid,
  kContextOverflow,
  kFiltered,
  kSchemaInvalid,
  kConfiguration,
  kResolve,
  kConnect,
  kTls,
  kTimeoutConnect,
  kTimeoutFirstEvent,
  kTimeoutIdle,
  kTimeoutTotal,
  kReset,
  kStreamError,
  kStreamTruncated,
  kServer,
  kBadResponse,
  kTooLarge,
};
inline constexpr int kErrorClassCount = 25;
/// The name in `error_details.class`.
std::string_view to_string(ErrorClass error_class);

/// Whom a failure concerns beside its own request.
enum class BreakerScope : std::uint8_t {
  kNone,
  kModel,  ///< Every call to that model would fail (403, 404).
  kKey,    ///< Every call with that key would fail (no quota, wrong key).
};

/// What follows from a failure.
struct Verdict {
  ErrorClass error_class = ErrorClass::kServer;
  ErrorCode code = ErrorCode::kUnknown;
  bool is_retryable = false;
  /// The request was sent and its answer is lost, or stayed behind a gateway (408, 504): it may
  /// have been done, and billed.
  bool is_ambiguous = false;
  BreakerScope breaker = BreakerScope::kNone;
  /// What the next attempt must wait at least; set where the peer asked, or where the class has a
  /// floor.
  std::optional<Duration> retry_after;
  /// The peer asks for a pause: it is at a limit, or it said for how long. A client that waits has
  /// lost no attempt.
  bool is_pause = false;
  /// Nobody answered in the provider's name: see Outage.
  enum class Absence : std::uint8_t { kNone, kGateway, kCertain } absence = Absence::kNone;
};

/// The one table. All pure.
Verdict verdict_of(ErrorClass error_class);
/// A failure that the provider reported, with the headers of its response (Retry-After and its kin,
/// x-should-retry).
Verdict judge(const WireError& error, const HttpHeaders& headers, WallTime now);
/// A wait of more than `longest` is none to sit out: the call fails for good and the breaker opens,
/// so that the calls behind it fail at once and say why.
void bound_wait(Verdict& verdict, Duration longest);
/// A failure of the transport. `end` is not kComplete and not kStopped.
Verdict judge(HttpEnd end, bool was_sent, bool has_stream_begun);

/// Tells equal failures from others: a client stops repeating what fails the same way each time.
std::string fingerprint(const WireError& error);

}  // namespace filecall::worker::llm
