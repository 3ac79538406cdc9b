// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/cli/options.h"

namespace filecall::client {

/// Whether the completion script may ask for words of that kind.
bool is_word_kind(std::string_view kind);
/// What a shell may complete `prefix` to: "ids", "batches", "runs" or "threads" of the root, what
/// is "paused" in it, names to "pause", names of "schemas", or "approvals" that wait. At most some
/// hundred, in a bounded time: of a root with a million requests some may be missing. Words that a
/// shell would take apart are left out. Reads only. Failure: the root's.
Result<std::vector<std::string>> completion_words(std::string_view kind, std::string_view prefix,
                                                  const Arguments& arguments);

}  // namespace filecall::client
