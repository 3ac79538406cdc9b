// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "ipc/json.h"
#include "ipc/response.h"
#include "worker/exec/executor.h"
#include "worker/proc/captured_output.h"
#include "worker/proc/child.h"

namespace filecall::worker {

/// tool.run's data. All pure.

/// The output's members: stdout, stderr (base64 and `stdout_base64`/`stderr_base64`: true when
/// they are not UTF-8), truncated, stdout_bytes, stderr_bytes (totals, before truncation).
Json output_data(const CapturedOutput& out, const CapturedOutput& err);

/// The same with exit_code, signal, signal_name (when there is one), duration_ms, user_ms,
/// system_ms, max_rss_bytes, `bare_repositories` ([{path, set_aside}]) and their count when the
/// tool left any, and `tool` when a declared one ran.
Json result_data(const ChildResult& result, const CapturedOutput& out, const CapturedOutput& err,
                 std::string_view tool);

/// A command line as a shell would need it, for people: shortened, on one line.
std::string command_text(const std::vector<std::string>& argv);

/// The verdict. `check`: a non-zero exit or a signal is a Failure (unknown, retryable) with the
/// data as its details. `name`: the command line or tool, for messages, which
/// end with the last line that the program wrote.
Outcome judge(const ChildResult& result, const CapturedOutput& err, Json data, bool check,
              std::string_view name);

}  // namespace filecall::worker
