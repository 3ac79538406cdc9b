// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ipc/effects.h"

namespace filecall {

enum class WorkerState : std::uint8_t { kStarting, kReady, kDraining, kStopped };
std::string_view to_string(WorkerState state);
std::optional<WorkerState> parse_worker_state(std::string_view name);

/// How the worker learns of new files: by kernel events, or by reading the directories on a timer
/// because no events arrive (network and overlay file systems, no watches left).
enum class WatchMode : std::uint8_t { kInotify, kPoll };

/// What confines the programs of tool.run.
struct ToolConfinement {
  std::string level;        ///< As the configuration names it: none, read-only, ...
  bool hides_root = false;  ///< A program sees none of the worker's roots.
  bool has_network = true;  ///< A program may reach it.
  /// Where programs work: the first when a request does not say it. Absolute.
  std::vector<std::string> roots = {};
};

/// `worker/status.json`: what a live worker says of itself for one root. Replaced atomically.
struct WorkerStatus {
  struct Counts {
    std::int64_t pending = 0;    ///< Seen, valid or unread, not started.
    std::int64_t executing = 0;  ///< Started, not answered.
    std::int64_t success = 0;    ///< Answered by this run.
    std::int64_t error = 0;      ///< Answered by this run.
    std::int64_t ignored = 0;    ///< Foreign names and things that are no regular file.
    std::int64_t overflows = 0;  ///< Times the kernel's event queue ran over.
    std::int64_t rescans = 0;    ///< Times both directories were read.
  };
  struct Command {
    std::string name;
    Effects effects = Effects::kNone;
  };

  /// Flow control towards one destination (a provider, a tool class), of the whole worker.
  struct Destination {
    std::string name;
    std::int64_t in_flight = 0;
    std::int64_t waiting = 0;
    std::int64_t window = 0;       ///< May be in flight now, as learned.
    std::int64_t concurrency = 0;  ///< May be in flight at most, as configured.
    std::int64_t pause_ms = 0;     ///< Nothing starts for so long; 0: it may.
    std::string problem;           ///< Why its commands fail; empty when nothing is wrong.
    std::int64_t held = 0;         ///< Of those that wait, paused by people.
  };

  WorkerState state = WorkerState::kStarting;
  std::int64_t pid = 0;
  std::string instance;
  std::string boot_id;
  std::string version;
  WallTime started_at{};
  WallTime heartbeat_at{};
  WatchMode watch = WatchMode::kInotify;
  std::string watch_reason;    ///< Why it polls; empty with inotify.
  std::int64_t grace_ms = -1;  ///< What runs has so long to end when it is stopped; -1: not said.
  std::string durability;      ///< "full", "journal", "file", "none".
  std::string problem;         ///< What keeps it from answering now (e.g. a full disk); else empty.
  /// The uid of the worker's process, and the ranges of its user namespace (os/accounts.h), as it
  /// sees them: another program may see other numbers. Absent, empty: not said.
  std::optional<std::uint32_t> user{};
  std::string user_map;
  /// Protections that the machine cannot give (design of the sandbox); empty when all are there.
  std::vector<std::string> missing_protections;
  std::optional<ToolConfinement> tool_sandbox{};  ///< Absent: not said.
  /// What paths of file.* and git.* are relative to (the first of file.roots); empty: not said.
  std::string file_directory;
  /// What people have paused in this root (paused/): "root", destinations, commands; at most
  /// spool::kNamedPausesMax of `paused_count`.
  std::vector<std::string> paused;
  std::int64_t paused_count = 0;
  Counts counts;
  std::vector<Command> commands;
  /// Those that were used so far or that something is wrong with.
  std::vector<Destination> destinations;
};

std::string render_worker_status(const WorkerStatus& status);
/// Lenient on unknown members. Failure: invalid_argument.
Result<WorkerStatus> parse_worker_status(std::string_view bytes);

}  // namespace filecall
