// SPDX-License-Identifier: MIT
#include "client/agent/run_past.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/threads/run_records.h"
#include "client/threads/spilled_data.h"

namespace filecall::client {

Result<RunPast> read_run_past(const spool::Layout& layout, std::string_view thread,
                              std::string_view run, const RunRecordVisit& visit,
                              const RunDamageVisit& on_damage) {
  TRY_ASSIGN(ThreadPage page, read_run(layout, thread, run));
  RunPast past;
  const auto note = [&](const std::string& where) {
    past.state.note_damage(where);
    if (on_damage) on_damage(where);
  };
  for (const BadLine& bad : page.bad) note(bad_line_text(layout.thread(thread), bad));
  for (ThreadRecord& record : page.records) {
    past.last_seq = std::max(past.last_seq, record.seq);
    auto data = whole_value(layout, record.data);
    const bool is_gone = !data && (data.error().code == ErrorCode::kNotFound ||
                                   data.error().code == ErrorCode::kDataLoss);
    if (is_gone) {
      note(fmt::format("{}: record {}: {}", layout.thread(thread), record.seq,
                       data.error().message));
      continue;
    }
    if (!data) return Unexpected(data.error());
    record.data = *std::move(data);
    past.state.fold(record.type, record.data, parse_rfc3339(record.at).value_or(WallTime{}));
    if (visit) visit(record, past.state);
  }
  return past;
}

Result<void> check_has_begun(const RunPast& past, std::string_view run) {
  if (past.state.has_begun()) return {};
  return fail(ErrorCode::kDataLoss,
              fmt::format("run {}: the record of its beginning is damaged, so it cannot go on; "
                          "give another --run: {}",
                          run, past.state.damage()));
}

}  // namespace filecall::client
