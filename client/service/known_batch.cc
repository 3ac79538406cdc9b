// SPDX-License-Identifier: MIT
#include "client/service/known_batch.h"

#include <fmt/core.h>

#include <set>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "client/runs/run_files.h"
#include "ipc/json_text.h"

namespace filecall::client {

Result<void> require_batch(Ledger& ledger, const spool::Layout& layout, const std::string& batch) {
  if (batch.empty()) return {};
  TRY_ASSIGN(const std::vector<RunRecord> runs, RunFiles(layout).list());
  std::set<std::string_view> names;
  for (const RunRecord& run : runs) names.insert(run.plan.name);
  if (names.contains(batch)) return {};
  EntryFilter filter;
  filter.batch = batch;
  bool is_known = false;
  TRY(ledger.for_each(filter, [&](const RequestEntry&) {
    is_known = true;
    return false;
  }));
  if (is_known) return {};
  const std::vector<std::string_view> near =
      nearest_names(batch, std::vector<std::string_view>(names.begin(), names.end()));
  return fail(
      ErrorCode::kNotFound,
      fmt::format(
          "{}: no batch is named '{}'{}; 'filecall runs list' names them", layout.root(),
          excerpt(batch, 60),
          near.empty() ? "" : fmt::format(", did you mean '{}'?", excerpt(near.front(), 60))));
}

}  // namespace filecall::client
