// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/threads/run_threads.h"
#include "client/threads/thread_reader.h"
#include "spool/layout.h"

namespace filecall::client {

/// Whether nothing of a run can follow the record: it has ended, and not on a budget. Pure.
bool closes_run(const ThreadRecord& record);

/// All records of a run. `bad` and `complete` are of the places where one of its own may have
/// been: from its first record to the one that closes it, else to the end of the thread. A line
/// that its writer has not finished is none: nothing followed from it. Failures: not_found, no
/// such run was begun in the thread; data_loss, it was, and no record of it is left.
Result<ThreadPage> read_run(const spool::Layout& layout, std::string_view thread,
                            std::string_view run);

/// Where a run is: as its note says, else, where that is missing or says nothing, as the threads
/// say, of which each is read then. nullopt: no run of that id was begun here.
Result<std::optional<RunPlace>> look_for_run(const spool::Layout& layout, std::string_view run);

/// The runs that there are notes of, in no order.
Result<std::vector<std::string>> noted_runs(const spool::Layout& layout);

}  // namespace filecall::client
