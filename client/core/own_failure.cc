// SPDX-License-Identifier: MIT
#include "client/core/own_failure.h"

#include <string>
#include <utility>

namespace filecall::client {

Response own_failure(std::string_view id, const RequestProgress& progress) {
  Failure failure;
  failure.code = progress.error_code.value_or(ErrorCode::kUnknown);
  failure.message = progress.error_message;
  failure.retryable = false;
  failure.details = Json{{"attempts", progress.attempt}, {"written_by", "filecall"}};
  Response response;
  response.request_id = std::string(id);
  response.failure = std::move(failure);
  return response;
}

}  // namespace filecall::client
