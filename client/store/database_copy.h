// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "client/store/sqlite.h"

namespace filecall::client {

/// A copy of a database as it is now, writers or not, of which no file is left: for a reader whose
/// files beside the original (a log, a lock, shared memory) its owner could not write. Nothing in
/// the original's directory is changed. Failures: not_found, there is none; unavailable, it was
/// rewritten faster than it could be copied; those of the disk that holds temporary files.
Result<Database> open_database_copy(const std::string& path);

}  // namespace filecall::client
