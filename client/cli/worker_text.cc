// SPDX-License-Identifier: MIT
#include "client/cli/worker_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/report/text_layout.h"
#include "client/service/entry_json.h"
#include "os/clock.h"

namespace filecall::client {

std::string worker_text(const WorkerView& worker) {
  std::string text(to_string(worker.presence));
  if (worker.presence == WorkerPresence::kNotRunning || !worker.status) return text;
  const WorkerStatus& status = *worker.status;
  text += fmt::format(" (pid {}, version {}, {}", status.pid, one_line(status.version, 40),
                      watch_name(status.watch));
  text += fmt::format(", {} pending, {} executing, {} answered", human_count(status.counts.pending),
                      human_count(status.counts.executing),
                      human_count(status.counts.success + status.counts.error));
  // A busy worker counts once a second: what it says may have ended since.
  if (status.counts.pending + status.counts.executing > 0) {
    const Duration age = std::max(wall_now() - status.heartbeat_at, Duration::zero());
    text += fmt::format(", counted {} ago", human_duration(age));
  }
  text += ")";
  if (!status.problem.empty()) text += "; problem: " + one_line(status.problem, 300);
  return text;
}

}  // namespace filecall::client
