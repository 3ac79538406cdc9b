// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "ipc/json.h"
#include "worker/exec/llm/chat_params.h"

namespace filecall::worker::llm {

/// Where OpenAI's formats put a function's members.
enum class FunctionPlace : std::uint8_t {
  kNested,  ///< Chat Completions: {"type": "function", "function": {"name": ...}}.
  kBeside,  ///< Responses: {"type": "function", "name": ...}.
};

/// Adds `tools`, `parallel_tool_calls` and `tool_choice` to the body, those that are asked for.
/// Pure.
void encode_openai_tools(const ChatParams& params, FunctionPlace place, Json& body);

}  // namespace filecall::worker::llm
