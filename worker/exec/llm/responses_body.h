// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "ipc/json.h"
#include "worker/exec/llm/chat_params.h"

namespace filecall::worker::llm {

/// A body of OpenAI's Responses as params of llm.chat, for a provider that does not speak that
/// format. Pure. Failure: something in it has no counterpart; names the place in the body.
Result<Json, Failure> chat_params_of_responses(const Json& body);

}  // namespace filecall::worker::llm
