// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "client/store/sqlite.h"

namespace filecall::client {

inline constexpr int kStateSchemaVersion = 4;

/// Brings the database to kStateSchemaVersion, by one migration for each version, each in a
/// transaction (PRAGMA user_version tells where it stands). Failure: failed_precondition when a
/// newer program wrote it; it is not touched then. data_loss when its tables are not those of its
/// version.
Result<void> migrate_state_schema(Database& database);

}  // namespace filecall::client
