// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <array>
#include <cerrno>
#include <cstring>

namespace filecall {
namespace {

struct Row {
  std::string_view name;
  bool retryable;
};

// Indexed by ErrorCode. `internal` and `data_loss` are bugs or damage: again would be the same.
// `aborted` is our "interrupted, effects unknown": again might do it twice.
constexpr std::array<Row, kErrorCodeCount> kRows = {{
    {"cancelled", false},
    {"unknown", true},
    {"invalid_argument", false},
    {"deadline_exceeded", true},
    {"not_found", false},
    {"already_exists", false},
    {"permission_denied", false},
    {"resource_exhausted", true},
    {"failed_precondition", false},
    {"aborted", false},
    {"out_of_range", false},
    {"unimplemented", false},
    {"internal", false},
    {"unavailable", true},
    {"data_loss", false},
    {"unauthenticated", false},
}};

ErrorCode code_of_errno(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EEXIST:
      return ErrorCode::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return ErrorCode::kResourceExhausted;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
      return ErrorCode::kInvalidArgument;
    case EAGAIN:
    case EBUSY:
    case EINTR:
      return ErrorCode::kUnavailable;
    case EIO:
      return ErrorCode::kDataLoss;
    default:
      return ErrorCode::kUnknown;
  }
}

}  // namespace

std::string_view to_string(ErrorCode code) { return kRows.at(static_cast<std::size_t>(code)).name; }

std::optional<ErrorCode> parse_error_code(std::string_view name) {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<ErrorCode>(i);
  }
  return std::nullopt;
}

bool is_retryable(ErrorCode code) { return kRows.at(static_cast<std::size_t>(code)).retryable; }

Error errno_error(int errno_value, std::string_view what) {
  char buffer[128];
  // GNU strerror_r: thread-safe, may return a static string instead of the buffer.
  const char* reason = strerror_r(errno_value, buffer, sizeof buffer);
  return {code_of_errno(errno_value), std::string(what) + ": " + reason};
}

}  // namespace filecall
