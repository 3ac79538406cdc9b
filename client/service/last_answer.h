// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "client/core/request_state.h"
#include "ipc/answer_owner.h"
#include "ipc/response.h"
#include "spool/layout.h"

namespace filecall::client {

/// An answer's text and the file that it was read from.
struct LastAnswer {
  std::string bytes;
  std::string path;
  bool is_from_cache = false;  ///< The client's own, which holds its request.
};

/// The answer that a request in this state ended with, wherever it lies. GAVE_UP: the copy in
/// failed/, which stays when the response is taken away, else the response. All other states: the
/// response, else what the client took out of a cache. Only regular files are read; blocking.
/// In a group's root a response counts only when it answers that request (spool/own_response.h).
/// Failures: not_found, there is none, or no regular file, or it answers another user; what reading
/// returns.
Result<LastAnswer> last_answer(const spool::Layout& layout, std::string_view id, RequestState state,
                               AskedBy asked = AskedBy::kReader);

/// The same, parsed. Failure also: it is no response.
Result<Response> last_response(const spool::Layout& layout, std::string_view id, RequestState state,
                               AskedBy asked = AskedBy::kReader);

/// The response that an outcome stands for: the one that it has, else the last answer. When that is
/// not there or not readable, a failure made of what the outcome says, or of why a success has no
/// answer to show (data_loss).
Response final_response(const spool::Layout& layout, const RequestOutcome& outcome);

}  // namespace filecall::client
