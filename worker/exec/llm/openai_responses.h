// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/result.h"
#include "worker/exec/llm/chat_codec.h"

namespace filecall::worker::llm {

/// OpenAI's Responses API, stateless. Pure; called through chat_codec.h.
Result<Json, Failure> encode_openai_responses(const ChatParams& params, const Dialect& dialect);
Result<ChatResult, WireError> decode_openai_response(const Json& body);
std::unique_ptr<ChatStream> make_openai_responses_stream();

}  // namespace filecall::worker::llm
