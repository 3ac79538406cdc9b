// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/core/provider_catalog.h"
#include "client/core/settings_review.h"
#include "client/engine/worker_process.h"
#include "ipc/worker_launch.h"

namespace filecall::client {

/// Compares what a live worker was configured from with this process's environment and the files
/// that are there now, and says what to do. `view`: of that worker. Nothing known: kNone. Blocking;
/// any thread. Failure: worker/launch.json cannot be believed.
Result<SettingsPlan> look_at_settings(const std::string& root, const WorkerView& view,
                                      bool may_restart);

/// The providers of the root's worker, or of the one that would be started now: empty when that is
/// not known, or its settings differ from those that are there now.
ProviderCatalog known_providers(const std::string& root);
/// Those of the worker that runs, whatever its settings; empty: none runs, or it does not say.
ProviderCatalog running_providers(const std::string& root);

/// Whether this environment, and the files that are there, have what the root's worker has read
/// from them; also where that is not known.
bool has_settings_of_worker(const std::string& root);

/// Does what a plan for the root's worker says, and tells `notice`. Whether the worker was stopped,
/// so that the next one has the settings that are there now.
bool carry_out(const SettingsPlan& plan, const WorkerStart& start,
               const std::function<void(const std::string&)>& notice);
/// The same of the tools that its configuration declares; nullopt: not known.
std::optional<std::vector<WorkerTool>> known_tools(const std::string& root);

}  // namespace filecall::client
