// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::worker::git {

/// A message as a commit has it: without spaces at ends of lines and without empty lines around it,
/// with the trailers behind it ("Reviewed-by: A <a@b>"), in the last paragraph when that has
/// trailers already. `trailers` is an object of texts and lists of texts, or null. Failure:
/// invalid_argument (no message, a trailer that is more than a line). Pure,
/// after prepare_git_library().
Result<std::string> commit_message(const std::string& text, const Json& trailers);

}  // namespace filecall::worker::git
