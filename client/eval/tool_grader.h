// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "client/eval/grader.h"

namespace filecall::client {

/// "tool": a program grades, by a `tool.run` request through the same root; the worker's
/// configuration must allow it. It reads one JSON object from standard input: {request_id, answer,
/// data, params, vars, expected}. The answer never stands among its arguments, where it could be
/// taken for an option.
struct ToolRule {
  Json params{};           ///< Of tool.run: argv or tool and args, env, cwd, timeout_ms.
  Expectation expected{};  ///< Passed on when there is one.
  /// False: exit code 0 is good, 1 is bad, anything else could not judge. True: standard output is
  /// {"score": 0..1, "reason": "..."}, and any exit code but 0 could not judge. For programs that
  /// exit 1 when they crash.
  bool prints_json = false;
};
std::unique_ptr<Grader> make_tool_grader(GraderSettings settings, ToolRule rule);

}  // namespace filecall::client
