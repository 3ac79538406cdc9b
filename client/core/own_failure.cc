// SPDX-License-Identifier: MIT
#include "client/core/own_failure.h"

#include <string>
#include <utility>

#include "ipc/assemble_response.h"

namespace filecall::client {

Response own_failure(std::string_view id, const RequestProgress& progress) {
  Failure failure;
  failure.code = progress.error_code.value_or(ErrorCode::kUnknown);
  failure.message = progress.error_message;
  failure.retryable = false;
  failure.details = Json{{"attempts", progress.begun_attempts()}, {"written_by", "filecall"}};
  return assemble_response(std::string(id), Unexpected(std::move(failure)));
}

}  // namespace filecall::client
