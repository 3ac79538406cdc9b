// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "client/core/provider_catalog.h"
#include "ipc/json.h"
#include "ipc/worker_status.h"
#include "spool/pauses.h"

namespace filecall::client {

/// One thing that is paused in a root, or is to be.
struct Pause {
  spool::PauseKind kind = spool::PauseKind::kRoot;
  std::string name;  ///< Empty for the root.
};

/// The root first, then by name. All of these are pure.
std::vector<Pause> list_pauses(const spool::PauseSet& set);
/// "the root", "openai/gpt-4.1", "batch nightly.jsonl".
std::string pause_text(const Pause& pause);
/// What a pause may name, as a worker with this status and these providers knows it: providers,
/// commands that can be held back, destinations. Not sorted; a name may be there twice.
std::vector<std::string> names_to_pause(const WorkerStatus& status, const ProviderCatalog& catalog);
/// {kind: root | destination | batch, name}; a root has no name.
Json pause_json(const Pause& pause);
/// What ends it, after "filecall resume".
std::string resume_words(const Pause& pause);
/// What holds back a request of a batch that is paused, and what ends it, for people; empty: the
/// batch is not paused.
std::string what_holds_the_batch(const std::vector<Pause>& pauses, const std::string& batch);
/// "paused: the root, tool, and 3 more", or that nothing is; for people. Names the first.
std::string what_is_paused(const std::vector<Pause>& pauses);

}  // namespace filecall::client
