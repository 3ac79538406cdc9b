// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/batch/request_template.h"
#include "client/turns/script.h"
#include "ipc/json.h"
#include "ipc/worker_launch.h"

namespace filecall::client {

/// How a template says that a request is the beginning of a conversation: `turns`, `tool_results`
/// and `max_tool_rounds` beside its params (or among them, when it is nothing but params), and
/// names of the worker's declared tools in `tools`. All pure.

/// Takes these members out of a template that was read: the places in them are filled row by row.
/// null: it is no conversation. `tool_names`: the strings of `params.tools`, taken out, too.
Json take_conversation(Json& request, std::vector<std::string>& tool_names);

/// Declares the tools that a template names: to the model in `params.tools`, to the conversation in
/// `tools`. Failure: invalid_argument, the worker declares no tool of that name.
Result<void> declare_tools(RequestTemplate& one, const std::vector<WorkerTool>& known);

/// Why a request cannot begin a conversation; empty: it can.
std::string conversation_misfit(const Json& request);

/// The script of a filled request, which becomes that of the first turn. `conversation`: the
/// template's, filled. The string says what is wrong with the row.
Result<ConversationScript, std::string> make_script(Json& request, const Json& conversation,
                                                    int max_turns);

/// Reads an image: gives its URL, or a data URI with its bytes.
using ImageReader = std::function<Result<std::string>(const std::string& place)>;

/// Adds images to the last message of the user, which the request must have. Failure:
/// invalid_argument.
Result<void> add_images(Json& request, const std::vector<std::string>& urls);

}  // namespace filecall::client
