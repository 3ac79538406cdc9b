// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/batch/batch.h"
#include "client/cli/options.h"
#include "ipc/worker_launch.h"
#include "spool/layout.h"

namespace filecall::client {

/// Opens what `run` reads, by its arguments and its options about rows, templates and models.
/// Failure: invalid_argument, the files'.
/// `run_id`: ends all ids, after a "+"; empty: nothing does. `tools`: those that the worker
/// declares; asked when a template names some.
using ToolsOfWorker = std::function<Result<std::vector<WorkerTool>>()>;
Result<std::unique_ptr<Batch>> open_run_inputs(const Arguments& arguments,
                                               const spool::Layout& layout,
                                               const std::string& run_id,
                                               const ToolsOfWorker& tools);

}  // namespace filecall::client
