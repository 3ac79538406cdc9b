// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/core.h>

#include <cstdlib>

#include "base/count_text.h"
#include "client/doctor/checks.h"
#include "client/engine/worker_process.h"
#include "ipc/limits.h"
#include "os/clock.h"
#include "os/io.h"
#include "os/process.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

/// A worker that is busy heartbeats each second; three idle periods without one is a hang.
constexpr Duration kHeartbeatAgeMax = 3 * limits::kHeartbeatIdle;

void check_status(const WorkerStatus& status, const spool::Layout& layout, Findings& findings) {
  const Duration age = wall_now() - status.heartbeat_at;
  if (age > kHeartbeatAgeMax) {
    findings.push_back({Severity::kProblem, "worker",
                        fmt::format("its last heartbeat was {} s ago", to_ms(age) / 1000),
                        "look at 'filecall worker logs', then 'filecall worker restart'"});
  }
  if (!status.problem.empty()) {
    findings.push_back(
        {Severity::kProblem, "worker", status.problem, "remove the cause; it goes on by itself"});
  }
  if (status.watch == WatchMode::kPoll) {
    findings.push_back({Severity::kNote, "worker", "it polls: " + status.watch_reason,
                        "see 'events' and 'file system'"});
  }
  for (const std::string& protection : status.missing_protections) {
    findings.push_back({Severity::kNote, "worker", "missing protection: " + protection,
                        "tools run without it; see 'sandbox', or start the worker with "
                        "--require-sandbox to refuse that"});
  }
  if (status.durability == "journal") {
    findings.push_back({Severity::kNote, "worker", "durability journal",
                        "after a power cut a response may be missing or empty until a worker has "
                        "started again; --durability full has no such time"});
  } else if (!status.durability.empty() && status.durability != "full") {
    findings.push_back({Severity::kNote, "worker", "durability " + status.durability,
                        "a power cut may lose responses; --durability full does not"});
  }
  check_destinations(status, findings);
  if (status.counts.ignored > 0) {
    findings.push_back(
        {Severity::kNote, "worker",
         fmt::format("{} in {} {}", counted_noun(status.counts.ignored, "name"), layout.requests(),
                     one_or_many(status.counts.ignored, "is no request", "are not requests")),
         "requests are regular files named {id}.json; the others are left alone"});
  }
  if (status.counts.overflows > 0) {
    findings.push_back(
        {Severity::kNote, "worker",
         fmt::format("{} event queue overflows; nothing was lost", status.counts.overflows),
         "sysctl fs.inotify.max_queued_events=262144 makes them rarer"});
  }
}

/// A file that a worker found in the stead of its journal and kept: answers may be in it.
void check_journal(const spool::Layout& layout, Findings& findings) {
  const auto fd = open_file(layout.worker_journal(), O_RDONLY | O_DIRECTORY);
  if (!fd) return;
  (void)spool::read_directory(fd->get(), [&](const spool::DirectoryEntry& entry) {
    if (!spool::Layout::is_damaged_journal(entry.name)) return;
    findings.push_back(
        {Severity::kProblem, "worker",
         fmt::format("{}/{} is not a journal any more", layout.worker_journal(), entry.name),
         "responses from before a power cut may be lost with it: look which responses "
         "are empty or missing, then remove it"});
  });
}

/// What a worker that died left half made.
void check_changes(const spool::Layout& layout, Findings& findings) {
  const auto fd = open_file(layout.worker_changes(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!fd) return;
  std::int64_t records = 0;
  (void)spool::read_directory(fd->get(), [&](const spool::DirectoryEntry& entry) {
    if (!entry.name.starts_with('.')) ++records;
  });
  if (records == 0) return;
  findings.push_back(
      {Severity::kNote, "worker",
       fmt::format("{} changed files when the worker died", counted_noun(records, "request")),
       "the next worker makes all of a request's changes, or takes all back: filecall worker "
       "start"});
}

}  // namespace

void check_programs(Findings& findings) {
  const auto program = find_worker_program(std::getenv("FILECALL_WORKER"), std::getenv("PATH"));
  if (!program) {
    findings.push_back({Severity::kProblem, "programs", program.error().message,
                        "install filecall-worker beside this program, or set FILECALL_WORKER"});
    return;
  }
  findings.push_back({Severity::kGood, "programs", *program, ""});
  if (!find_guard_program().empty()) return;
  findings.push_back({Severity::kProblem, "programs",
                      "filecall-guard is neither beside filecall-worker nor in libexec/filecall",
                      "install it again: tool.run cannot start programs without it"});
}

void check_worker(const spool::Layout& layout, Findings& findings) {
  check_journal(layout, findings);
  const auto view = worker_view(layout.root());
  if (!view) {
    findings.push_back(
        {Severity::kProblem, "worker", view.error().message, "correct the permissions of worker/"});
    return;
  }
  if (view->presence == WorkerPresence::kNotRunning) {
    check_changes(layout, findings);
    findings.push_back({Severity::kNote, "worker", "not running",
                        "filecall worker start (run and call start one by themselves)"});
    return;
  }
  findings.push_back({Severity::kGood, "worker",
                      fmt::format("{}{}", to_string(view->presence),
                                  view->pid > 0 ? fmt::format(", pid {}", view->pid) : ""),
                      ""});
  if (view->status && view->presence != WorkerPresence::kStarting) {
    check_status(*view->status, layout, findings);
  }
}

}  // namespace filecall::client
