// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/proc/sandbox/sandbox_options.h"
#include "worker/proc/sandbox/system_paths.h"

namespace filecall::worker::guard {

/// One step of building the file tree that a confined program sees. It starts empty, so what no
/// step names does not exist for the program.
struct MountStep {
  enum class Kind : std::uint8_t {
    // Of the shared tree.
    kSystem,  ///< Of the host, read-only, or the link itself when it leads to such; may be absent.
    kDevice,  ///< A device file of the host; may be absent.
    kLink,    ///< A symbolic link to `target`.
    kDirectory,  ///< Empty; a run mounts something of its own there.
    kCovers,     ///< The empty directory and file that hidden places are covered with.
    kBind,       ///< Of the host, `writable` or not; may be absent. No link is followed.
    // Of both.
    kProc,  ///< The /proc of the process tree that mounts it, read-only.
    // Of one run.
    kTmpfs,      ///< Empty, writable, limited; gone afterwards.
    kTerminals,  ///< Own pseudo terminals.
    kCarry,     ///< What the shared tree has here lies beneath a mount of the run: is put above it.
    kPin,       ///< Mounted on itself, so that it cannot be renamed or removed; may be absent.
    kReadOnly,  ///< Mounted on itself, read-only; may be absent.
    kHide,      ///< Covered by nothing; may be absent.
  };
  Kind kind;
  std::string path;
  std::string target;
  bool writable = false;

  bool operator==(const MountStep&) const = default;
};

/// The names of kCovers.
inline constexpr const char* kNoDirectory = "/.nothing";
inline constexpr const char* kNoFile = "/.empty";

/// The harmless device files.
const std::vector<std::string>& device_paths();

/// The steps that are the same for all runs of one configuration, parents before children: what
/// they show is the host's, and nothing in it belongs to a run. Pure.
std::vector<MountStep> plan_shared_mounts(const SandboxOptions& options);

/// The first steps of one run, on top of the shared tree: what no two runs share. They need nothing
/// of the host but what that tree has, and can be done before the run is known. Pure.
std::vector<MountStep> plan_private_mounts(const SandboxOptions& options);

/// The last steps of one run, when it is known: what covers something of the host.
/// `protected_paths` lie in writable roots and become read-only. Pure.
std::vector<MountStep> plan_covers(const SandboxOptions& options,
                                   const std::vector<std::string>& protected_paths);

}  // namespace filecall::worker::guard
