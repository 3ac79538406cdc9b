// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// Whether an object lacks a member; a null is the same as none.
bool is_absent(const Json& object, const char* name);

/// The params of llm.chat for a body of OpenAI's Responses API: it goes to that endpoint as it is.
/// Pure. The string says what a batch cannot do, with a JSON pointer that begins with /body.
Result<Json, std::string> chat_params_of_responses(const Json& body);

}  // namespace filecall::client
