// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "client/eval/spec.h"

namespace filecall::client {

/// Reads a specification and the files that it names, which are looked for beside it. Failures: a
/// file's; invalid_argument, with line and column.
Result<EvalSpec> load_eval_spec(const std::string& path);

}  // namespace filecall::client
