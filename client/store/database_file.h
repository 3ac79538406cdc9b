// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/store/sqlite.h"
#include "ipc/durability.h"

namespace filecall::client {

/// Opens the state database and brings its schema up to date. A file that is not a database, or a
/// damaged one, is renamed to `{path}.damaged-{time}` (with its -wal and -shm) and a new one begun;
/// `notices` then says so. Damage counts when it is found twice: a disk that fails to read for once
/// has damaged nothing. Clients that open at the same time are serialized by `{path}.lock`.
Result<Database> open_state_database(const std::string& path, Durability durability, WallTime now,
                                     std::vector<std::string>& notices);

/// Notes that damage was met in the middle of work: the next opening reads every page, however many
/// there are, before it trusts the file.
void suspect_state_database(const std::string& path);

}  // namespace filecall::client
