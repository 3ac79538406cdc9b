// SPDX-License-Identifier: MIT
#include "worker/status.h"

#include <fcntl.h>

#include "os/clock.h"
#include "os/io.h"
#include "spool/layout.h"
#include "spool/publish.h"

namespace filecall::worker {

Result<void> write_status(const RootSession& session, const StatusFacts& facts, WorkerState state,
                          std::string_view problem, std::size_t waiting, std::size_t executing) {
  const spool::SourceStats stats = session.source->stats();
  WorkerStatus status;
  status.state = state;
  status.pid = facts.pid;
  status.instance = facts.instance;
  status.boot_id = facts.boot_id;
  status.version = FILECALL_VERSION;
  status.started_at = facts.started_at;
  status.heartbeat_at = wall_now();
  status.watch = stats.watch;
  status.watch_reason = stats.watch_reason;
  status.durability = facts.durability;
  status.problem = problem;
  status.missing_protections = facts.missing_protections;
  status.counts = session.counts;
  status.counts.pending = stats.waiting + static_cast<std::int64_t>(waiting);
  status.counts.executing = static_cast<std::int64_t>(executing);
  status.counts.ignored = stats.ignored;
  status.counts.overflows = stats.overflows;
  status.counts.rescans = stats.rescans;
  status.commands = facts.commands;
  // Opened anew each time: the directory may have been replaced since.
  TRY_ASSIGN(const UniqueFd worker,
             open_file(spool::Layout(session.path).worker(), O_RDONLY | O_DIRECTORY));
  return spool::replace_file(worker.get(), "status.json", render_worker_status(status),
                             spool::Durability::kNone);
}

}  // namespace filecall::worker
