// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace filecall::client {

/// The median time that earlier successes of a command took the worker, in milliseconds, by the
/// client's own state at `database_path`. Looks at no more than some ten thousand rows. nullopt:
/// there are fewer than three, or there is no database. Failures: SQLite's. Blocking.
Result<std::optional<std::int64_t>> median_run_ms(const std::string& database_path,
                                                  std::string_view command);

}  // namespace filecall::client
