// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "client/engine/worker_process.h"
#include "ipc/json.h"

namespace filecall::client {

/// What `filecall-worker --check-config --json` says of the configuration that `command` names, as
/// the worker would read it: an object with "valid" and "problems". Blocks while the servers that
/// it names are asked, at most `patience`. Failures: deadline_exceeded, internal (no such object),
/// and what the system calls return.
Result<Json> check_launch(const WorkerCommand& command, Duration patience);

/// Whether the worker would refuse the configuration of this start: invalid_argument, with its
/// reason. Servers that do not answer are no reason.
Result<void> check_start(const WorkerStart& start);

}  // namespace filecall::client
