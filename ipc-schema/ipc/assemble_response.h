// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall {

/// The response to the request of that id: its data, or why it failed. Timing, worker and metadata
/// are the caller's to add. Pure.
Response assemble_response(std::string request_id, Result<Json, Failure> outcome);

}  // namespace filecall
