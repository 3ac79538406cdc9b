// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/engine/worker_process.h"

namespace filecall::client {

/// One line: "ready (pid 12, filecall-worker 0.1.0, inotify, 3 pending, 1 executing)". Pure.
std::string worker_text(const WorkerView& worker);

}  // namespace filecall::client
