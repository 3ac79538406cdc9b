// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "client/cli/options.h"
#include "client/engine/orchestrator.h"
#include "client/service/ledger.h"

namespace filecall::client {

/// --root, $FILECALL_ROOT or the default; absolute, so that it means the same to a worker that is
/// started elsewhere.
std::string chosen_root(const Arguments& arguments);
/// " --root DIR" for a command in a message, where `arguments` name the root; else nothing.
std::string root_words(const Arguments& arguments, const std::string& root);

/// The engine's options out of the command line. `starts_worker`: without --start-worker and
/// --no-start-worker. Failure: invalid_argument.
Result<OrchestratorOptions> engine_options(const Arguments& arguments, bool starts_worker);
/// --priority, when it is given.
Result<std::optional<int>> priority_option(const Arguments& arguments);
Result<LedgerOptions> ledger_options(const Arguments& arguments);

/// What to say of a root that is not there.
Error no_such_root(const std::string& root);

/// Opens the root's ledger and prints its notices.
Result<std::unique_ptr<Ledger>> open_ledger(const Arguments& arguments);
/// The same for a command that changes nothing: in another user's root it leaves nothing behind.
Result<std::unique_ptr<Ledger>> open_ledger_to_read(const Arguments& arguments);

}  // namespace filecall::client
