// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/result.h"
#include "worker/exec/llm/chat_codec.h"

namespace filecall::worker::llm {

/// Anthropic's Messages API. Pure; called through chat_codec.h.
Result<Json, Failure> encode_anthropic(const ChatParams& params, const Dialect& dialect);
Result<ChatResult, WireError> decode_anthropic(const Json& body);
std::unique_ptr<ChatStream> make_anthropic_stream();

Usage anthropic_usage(const Json& usage);
FinishReason anthropic_finish(const std::string& stop_reason);

}  // namespace filecall::worker::llm
