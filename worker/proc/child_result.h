// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "worker/proc/child.h"
#include "worker/proc/guard/report.h"

namespace filecall::worker {

/// Reads the guard's report. `report` is absent (or of another version) when the guard was lost;
/// then its own end tells what happened. Pure.
ChildResult make_child_result(const std::optional<guard::Report>& report, std::string_view program,
                              int guard_exit_code, int guard_signal);

/// No guard has said anything: nothing of the program has run. Pure.
ChildResult make_unstarted_result(std::string_view program);

/// The Error for a guard server that could not be started, or for a job that it could not be sent;
/// `error` is an errno value.
Error spawn_error(int error, const std::string& guard);

}  // namespace filecall::worker
