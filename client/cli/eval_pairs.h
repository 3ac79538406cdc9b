// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "client/cli/options.h"
#include "client/eval/runner/evaluation_run.h"
#include "client/eval/spec.h"

namespace filecall::client {

/// `eval SPEC A B`: judges say which of two responses to each item is better. The exit code.
Result<int> judge_pairs(const Arguments& arguments, const EvalSpec& spec,
                        const EvaluationOptions& options);

}  // namespace filecall::client
