// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "base/time.h"
#include "ipc/json.h"

namespace filecall {

/// The error half of a response.
struct Failure {
  ErrorCode code = ErrorCode::kUnknown;
  std::string message;                         ///< For people; says what to do.
  std::optional<bool> retryable;               ///< Absent: what is_retryable(code) says.
  std::optional<std::int64_t> retry_after_ms;  ///< A floor for the next attempt.
  Json details;                                ///< An object, or null when there is none.

  /// What a room returned as an Error, as an answer.
  static Failure of(Error error) {
    Failure failure;
    failure.code = error.code;
    failure.message = std::move(error.message);
    return failure;
  }
  bool is_retryable() const { return retryable.value_or(filecall::is_retryable(code)); }
};

/// When the worker had the request in its hands.
struct ResponseTiming {
  WallTime received_at{};
  WallTime started_at{};
  WallTime finished_at{};
  std::int64_t queued_ms = 0;
  std::int64_t run_ms = 0;
};

/// One answer, as it stands in `responses/{request_id}.json`.
struct Response {
  std::string request_id;
  Json data;                       ///< The result; meaningful only when `failure` is absent.
  std::optional<Failure> failure;  ///< Present: status "error".
  std::optional<ResponseTiming> timing;
  std::string worker;  ///< Instance id of the worker; empty when unknown.
  /// In a group's root: the uid that the served request's file belonged to.
  std::optional<std::uint32_t> user{};
  Json metadata;  ///< The request's, echoed; null when it had none.

  bool is_success() const { return !failure.has_value(); }
};

/// The file's text: one line and a newline; `request_id`, `status`, then `data` or the error.
std::string render_response(const Response& response);

/// Reads what any worker wrote, lenient: only `request_id`, `status` and `data`/`error_message` are
/// needed (the seed's members). An error without `error_code` is `unknown`; without `retryable`
/// it counts as retryable. Failure: invalid_argument (not JSON, or wrong shape, or other id).
Result<Response> parse_response(std::string_view bytes, std::string_view stem);

}  // namespace filecall
