// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/agent/core/agent_state.h"
#include "client/threads/thread_record.h"
#include "spool/layout.h"

namespace filecall::client {

/// What the records of a run have said so far.
struct RunPast {
  AgentState state;  ///< damage() names the first place that is not as it was written.
  std::int64_t last_seq = 0;
};

/// Hears of each record, whole, and of the state that has taken it.
using RunRecordVisit = std::function<void(const ThreadRecord&, const AgentState&)>;
/// Hears of each place where a record of the run may have been.
using RunDamageVisit = std::function<void(const std::string& where)>;

/// Reads a run. A record whose spilled data is gone is a damaged one. Failures: as of read_run();
/// the file's.
Result<RunPast> read_run_past(const spool::Layout& layout, std::string_view thread,
                              std::string_view run, const RunRecordVisit& visit = {},
                              const RunDamageVisit& on_damage = {});

/// Failure: data_loss, the record of its beginning is not among those that were read, so that
/// nobody knows what it was for.
Result<void> check_has_begun(const RunPast& past, std::string_view run);

}  // namespace filecall::client
