// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/threads/thread_record.h"
#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::client {

/// A scripted model (schema script_line) that says what the model said in a run.
struct ScriptOfRun {
  std::vector<Json> lines;
  std::vector<std::string> missing;  ///< Requests whose answers are not there.
};

/// A line for each request of the model, which fits by the end of its id: any run of the same goal
/// is answered alike. What looks like a secret is replaced. `response_of` gives null for what is
/// not there.
ScriptOfRun script_of_run(
    const std::string& run, const std::vector<ThreadRecord>& records,
    const std::function<std::shared_ptr<const Response>(const std::string& id)>& response_of);

/// Texts that begin as the tokens of well-known makers do become "[secret]". Pure.
std::string without_tokens(const std::string& text);

}  // namespace filecall::client
