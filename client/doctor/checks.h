// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "client/doctor/finding.h"
#include "ipc/json.h"
#include "ipc/worker_status.h"
#include "spool/layout.h"

namespace filecall::client {

/// Owner, mode, the directories that must be there. False: the rest makes no sense.
bool check_root(const spool::Layout& layout, bool allow_shared, Findings& findings);
/// The same of a group's root.
bool check_group_root(const spool::Layout& layout, bool allow_shared, Findings& findings);
/// Whether the machine empties the place where the root lies (tmpfiles.d(5)).
void check_place(const spool::Layout& layout, Findings& findings);
/// Why and when the rules of one file of tmpfiles.d(5) remove what lies in `root`, as the end of a
/// sentence; empty: they do not. Pure.
std::string emptied_text(std::string_view root, std::string_view rules);
/// Type of the file system and whether all directories are on one.
void check_file_system(const spool::Layout& layout, Findings& findings);
/// Whether inotify tells of a file that is created, and its limits.
void check_events(const spool::Layout& layout, Findings& findings);
/// Free space and files, and the file system's clock against ours.
void check_disk(const spool::Layout& layout, Findings& findings);
void check_clock(const spool::Layout& layout, Findings& findings);
/// The programs that should be installed beside this one.
void check_programs(Findings& findings);
/// The guard beside the worker that would be started; empty: none.
std::string find_guard_program();
/// What `filecall-guard --probe` says of this machine's protections. A running worker says more.
void check_sandbox(Findings& findings);
/// The findings of a probe's output: lines "NAME<TAB>ok" or "NAME<TAB>REASON<TAB>ADVICE". Pure.
void read_sandbox_probe(std::string_view output, Findings& findings);
/// What `filecall-worker --check-config --json` says: whether the configuration `path` is valid,
/// and which of the servers that it names answer. `path` empty: as the last worker of `root` was
/// started; `root` empty, too: with none.
void check_config(const std::string& path, const std::string& root, Findings& findings);
/// The findings of its output. `config` empty: none; what nobody configured and nobody runs is no
/// problem. `is_remembered`: it is the last worker's, which need not have a server that it was to
/// search for. Pure.
void read_config_check(const Json& check, const std::string& config, Findings& findings,
                       bool is_remembered = false);
/// Destinations of a running worker whose commands fail or wait. Pure.
void check_destinations(const WorkerStatus& status, Findings& findings);
/// Whether the rules of this user can be read, and those stored for the directory in which the
/// root's worker works. `root` empty: for this process's.
void check_policy(const std::string& root, Findings& findings);
/// Lock, status, heartbeat, what the worker says of itself.
void check_worker(const spool::Layout& layout, Findings& findings);

/// Name of a file system by its statfs type; "0x..." for an unknown one. Pure.
std::string file_system_name(long type);

}  // namespace filecall::client
