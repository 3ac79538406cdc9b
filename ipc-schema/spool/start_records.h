// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ipc/durability.h"
#include "spool/layout.h"
#include "spool/publish.h"
#include "spool/root.h"

namespace filecall::spool {

/// The files of worker/started/. Blocking; threads may work on distinct stems at the same time.

/// Writes the record of a start, in the stead of the one of the start before.
Result<void> write_start_record(const Directories& directories, const StartRecordName& record,
                                std::string_view json, Durability durability);

/// A record that is not there is fine.
Result<void> remove_start_record(const Directories& directories, const StartRecordName& record);

/// When the last start of a request that is not answered was recorded, as far as its records say.
/// Any process.
std::optional<WallTime> recorded_start(const Layout& layout, std::string_view stem);
/// Whether there is one.
bool has_start_record(const Layout& layout, std::string_view stem);

/// Cleans up after an earlier run, before anything is started: removes the records of answered
/// requests, publishes an answer that was complete but not yet renamed, and returns what is left:
/// requests that were started and never answered, sorted by stem, each once.
Result<std::vector<StartRecordName>> recover_start_records(const Directories& directories,
                                                           Durability durability);

}  // namespace filecall::spool
