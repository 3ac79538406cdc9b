// SPDX-License-Identifier: MIT
#include "ipc/assemble_response.h"

#include <utility>

namespace filecall {

Response assemble_response(std::string request_id, Result<Json, Failure> outcome) {
  Response response;
  response.request_id = std::move(request_id);
  if (outcome) {
    response.data = *std::move(outcome);
  } else {
    response.failure = std::move(outcome).error();
  }
  return response;
}

}  // namespace filecall
