// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/durability.h"
#include "spool/layout.h"

namespace filecall::client {

/// Where the records of a run lie.
struct RunPlace {
  std::string thread;
  std::int64_t offset = 0;  ///< Of the line of its run.begun; a hint.

  bool operator==(const RunPlace&) const = default;
};

/// threads/runs/{run}.json: notes for each run which thread it belongs to, before its first record
/// is written. Of two clients that begin a run of one id in two threads one notes it. Blocking; any
/// thread. Failure: already_exists, it is noted in another thread; the file's.
Result<void> note_run_place(const spool::Layout& layout, std::string_view run,
                            const RunPlace& place, Durability durability);
/// The failure of a run that is in another thread than the one that was asked for.
Unexpected<Error> run_is_elsewhere(std::string_view run, std::string_view thread);
/// nullopt: no run of that id was begun here. Failures: the file's; data_loss, it says nothing.
Result<std::optional<RunPlace>> find_run_place(const spool::Layout& layout, std::string_view run);
/// The thread of a run alone.
Result<std::optional<std::string>> thread_of_run(const spool::Layout& layout, std::string_view run);

}  // namespace filecall::client
