// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/turns/script.h"
#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::client {

/// A model's call of a tool. What a model wrote: anything may stand in it.
struct ToolCallAsked {
  std::string id;
  std::string name;
  Json arguments;                     ///< What could be read of them.
  bool are_arguments_broken = false;  ///< They are no JSON.
};

/// How a call is answered: by a text at once, or by a request of `tool.run`.
struct ToolAnswer {
  std::string text{};
  bool is_error = false;
  std::optional<Json> params{};  ///< Of `tool.run`; then there is no text yet.
};

/// `nth`: which call of this tool in the conversation it is, from 0. The row's results come before
/// declared tools. A call that nobody can answer gets an error as its text, so that the model may
/// do better. Pure, as all here.
ToolAnswer answer_tool_call(const ConversationScript& script, const ToolCallAsked& call,
                            std::size_t nth);

/// The text of an ended `tool.run`: what the program printed, or why it failed.
ToolAnswer read_tool_response(const Response& response);

/// Whether `value` has all that `pattern` has: objects may have more members, all else is equal.
/// Bounded by the pattern's depth.
bool fits_pattern(const Json& pattern, const Json& value);

}  // namespace filecall::client
