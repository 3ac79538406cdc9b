// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/core/request_state.h"
#include "client/engine/worker_process.h"
#include "client/service/ledger.h"
#include "ipc/json.h"

namespace filecall::client {

/// How requests and workers are shown to programs. Pure.
Json entry_json(const RequestEntry& entry);
Json details_json(const RequestDetails& details);
Json outcome_json(const RequestOutcome& outcome);
Json counts_json(const LedgerCounts& counts);
Json worker_json(const WorkerView& worker);
/// A file's content: parsed, or as a text when it is no JSON; null when there is none.
Json content_json(const std::optional<std::string>& text);
/// "inotify" or "poll".
std::string_view watch_name(WatchMode mode);

}  // namespace filecall::client
