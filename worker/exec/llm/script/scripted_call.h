// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/llm/script/script_line.h"

namespace filecall::worker::llm {

/// What a script sees of a call: the body of Chat Completions that would be sent. Pure.
struct ScriptedCall {
  std::string request_id;
  std::string model;
  std::string system;       ///< Texts of all system and developer messages, a line between them.
  std::string user;         ///< The last user message.
  std::string tool_result;  ///< The last message of a tool.
  std::string last;         ///< The last message, of any role.
  std::string any;          ///< All of them.
  std::int64_t turn = 1;    ///< One more than the answers in it.
  std::vector<std::string> tools;
  std::string format = "text";
  bool is_streamed = false;
  bool wants_usage = false;  ///< In a stream.
  std::int64_t choices = 1;
};

ScriptedCall read_scripted_call(const Json& body, std::string request_id);

/// Whether the line answers the call, but for `first`; what its named groups matched.
std::optional<ScriptValues> match(const ScriptLine& line, const ScriptedCall& call);

}  // namespace filecall::worker::llm
