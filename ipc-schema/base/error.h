// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace filecall {

/// The one closed vocabulary of failures, end to end: in `Error`, in `error_code` on disk and on
/// the gateway. The names are the canonical gRPC/Connect ones
/// (https://connectrpc.com/docs/protocol#error-codes). There is no `ok`: an Error always failed.
enum class ErrorCode : std::uint8_t {
  kCancelled,
  kUnknown,
  kInvalidArgument,
  kDeadlineExceeded,
  kNotFound,
  kAlreadyExists,
  kPermissionDenied,
  kResourceExhausted,
  kFailedPrecondition,
  kAborted,
  kOutOfRange,
  kUnimplemented,
  kInternal,
  kUnavailable,
  kDataLoss,
  kUnauthenticated,
};
inline constexpr int kErrorCodeCount = 16;

/// The name on disk, e.g. "invalid_argument". Lives as long as the process.
std::string_view to_string(ErrorCode code);
/// The inverse; nullopt for a name that is not in the vocabulary.
std::optional<ErrorCode> parse_error_code(std::string_view name);
/// Whether trying the same request again may succeed. This table is the only place that knows; a
/// failure may override it for one case (e.g. `aborted` because effects are unknown).
bool is_retryable(ErrorCode code);

/// A failure of the environment or of the input. `code` is for programs; `message` is for people
/// and has the form "object: reason; what to do". Never holds a secret.
struct Error {
  ErrorCode code = ErrorCode::kUnknown;
  std::string message;

  bool operator==(const Error&) const = default;
};

/// The failure of a system call: "<what>: <strerror>", with the code that fits the errno value.
Error errno_error(int errno_value, std::string_view what);

}  // namespace filecall
