// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall::worker::llm {

/// What a provider says of a failure, in whatever envelope, before anybody judges it.
struct WireError {
  int status = 0;       ///< HTTP's; 200 when it came inside a good answer.
  std::string type;     ///< E.g. "invalid_request_error".
  std::string code;     ///< E.g. "context_length_exceeded"; a number's text for some servers.
  std::string message;  ///< Theirs.
  /// A second code in the details (Anthropic: "enforced_spend_limit_reached").
  std::string detail_code;
  std::string request_id;     ///< From the envelope (Anthropic).
  bool is_in_stream = false;  ///< After a part of the answer.
};

/// The error of a JSON body, nullopt when there is none. Reads {"error": {...}}, {"error": "text"},
/// {"type": "error", "error": {...}}, {"object": "error", ...} (vLLM before 0.10.1), {"detail":
/// ...} (FastAPI) and {"message": ...}; the last two count only for a bad `status`. Pure.
std::optional<WireError> find_wire_error(const Json& body, int status);

/// The error of a response with a bad status, whatever its body is: text that is no JSON becomes
/// the message, shortened.
WireError wire_error_of_body(std::string_view body, int status);

}  // namespace filecall::worker::llm
