// SPDX-License-Identifier: MIT
#pragma once

#include "client/engine/worker_process.h"
#include "client/service/ledger.h"
#include "ipc/json.h"

namespace filecall::client {

/// How `--json` shows requests and workers. Pure.
Json entry_json(const RequestEntry& entry);
Json counts_json(const LedgerCounts& counts);
Json worker_json(const WorkerView& worker);
/// One line: "ready (pid 12, filecall-worker 0.1.0, inotify, 3 pending, 1 executing)".
std::string worker_text(const WorkerView& worker);

}  // namespace filecall::client
