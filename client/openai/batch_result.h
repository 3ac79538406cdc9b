// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::client {

/// Which line of an input file of OpenAI's Batch API a request stands for.
struct OpenAiBatchRef {
  std::string custom_id;
  std::string url;

  /// From a request's metadata; a request that did not come from such a file is named by its id.
  static OpenAiBatchRef of(const Json& metadata, const std::string& request_id);
};

/// The line of the output file for a response, or of the error file when it is a failure: `id`,
/// `custom_id`, `response` {status_code, request_id, body} and `error`. The body is the provider's
/// own when the answer has it (params.raw) in the endpoint's shape, else it is made of what the
/// worker read, in that shape. A failure with an HTTP status has it in `response`; one without in
/// `error` {code, message}. Pure.
Json openai_batch_result(const OpenAiBatchRef& ref, const Response& response);

}  // namespace filecall::client
