// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/engine/worker_process.h"
#include "ipc/worker_launch.h"

namespace filecall::client {

/// What `worker/launch.json` of a root says; nullopt: there is none. Failures: permission_denied,
/// it belongs to another user or others may write it, so that it may ask for anything;
/// invalid_argument, it cannot be understood. The messages say how to start a worker without it.
Result<std::optional<WorkerLaunch>> read_launch(const std::string& root);

/// Where the tools of a root's worker work: the directory in which it was started, or, where that
/// is not known, this process's. Empty when neither is.
std::string working_directory_of(const std::string& root);

/// The command line of a root's next worker: what is asked for now, and where nothing is, what the
/// last one was started with.
WorkerCommand worker_command_line(const WorkerStart& start, const std::string& program,
                                  const std::optional<WorkerLaunch>& launch);

/// Where the worker's log is, as far as the root tells.
std::string worker_log_path(const WorkerStart& start);

}  // namespace filecall::client
