// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "worker/exec/file/chosen_change.h"

namespace filecall::worker::file {

/// What file.apply answers: what is made of each file, what takes it back, and what is left of the
/// proposal, with the bases that they have afterwards. `undo` and `rest` are `changes` that
/// file.apply takes. Failure: a new content is no text. Pure.
Result<Json> apply_answer(const FileRules& rules, const Json& changes,
                          const std::vector<ChosenChange>& chosen);

}  // namespace filecall::worker::file
