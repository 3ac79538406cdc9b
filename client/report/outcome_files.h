// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/core/request_state.h"
#include "ipc/response.h"
#include "spool/layout.h"

namespace filecall::client {

/// The response that an outcome stands for: the answer of a success (the worker's, else
/// the client's out of a cache), else the copy in failed/. Taken from the outcome when it has it.
/// When its file is not there or not readable, a failure made of what the outcome says, or of why a
/// success has no answer to show (data_loss).
Response final_response(const spool::Layout& layout, const RequestOutcome& outcome);

/// The metadata in the request's file; null when there is none.
Json request_metadata(const spool::Layout& layout, const std::string& request_id);

}  // namespace filecall::client
