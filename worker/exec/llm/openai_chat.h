// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "worker/exec/llm/chat_codec.h"

namespace filecall::worker::llm {

/// Chat Completions (OpenAI, and what imitates it). Pure; called through chat_codec.h.
/// What cannot be said to that provider; nullopt: all can, and is encoded.
std::optional<Failure> refuse_openai_chat(const ChatParams& params, const Dialect& dialect);
Json encode_openai_chat(const ChatParams& params, const Dialect& dialect);
Result<ChatResult, WireError> decode_openai_chat(const Json& body);
std::unique_ptr<ChatStream> make_openai_chat_stream();

Usage openai_chat_usage(const Json& usage);

}  // namespace filecall::worker::llm
