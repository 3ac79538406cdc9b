// SPDX-License-Identifier: MIT
#include "client/store/run_history.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "client/store/sqlite.h"

namespace filecall::client {

Result<std::optional<std::int64_t>> median_run_ms(const std::string& database_path,
                                                  std::string_view command) {
  constexpr std::size_t kFew = 3;
  if (::access(database_path.c_str(), R_OK) != 0) return std::optional<std::int64_t>();
  TRY_ASSIGN(Database database, Database::open(database_path));
  TRY(database.distrust_schema());
  TRY_ASSIGN(Statement rows,
             database.prepare("SELECT run_ms FROM (SELECT command, state, run_ms FROM requests "
                              "WHERE control = 0 LIMIT 20000) "
                              "WHERE command = ?1 AND state = 'SUCCESS' LIMIT 1001"));
  rows.bind(1, command);
  std::vector<std::int64_t> times;
  for (;;) {
    TRY_ASSIGN(const bool has_row, rows.step());
    if (!has_row) break;
    times.push_back(rows.integer(0));
  }
  if (times.size() < kFew) return std::optional<std::int64_t>();
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return std::optional<std::int64_t>(*middle);
}

}  // namespace filecall::client
