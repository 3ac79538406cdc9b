// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/proc/sandbox/sandbox_options.h"

namespace filecall::worker::guard {

/// Access rights of Landlock (linux/landlock.h of newer systems; the kernel's numbers).
enum LandlockAccess : std::uint64_t {
  kExecute = 1U << 0,
  kWriteFile = 1U << 1,
  kReadFile = 1U << 2,
  kReadDirectory = 1U << 3,
  kRefer = 1U << 13,
  kTruncate = 1U << 14,
  kDeviceControl = 1U << 15,
  kResolveUnix = 1U << 16,  ///< Connects to a socket by name that is not its own.
};

struct LandlockRule {
  std::string path;  ///< May be absent.
  std::uint64_t access;
  /// False: a link on the way is an error. A root that lies in another one is only as fixed as its
  /// name there, which tools may exchange for a link.
  bool follows_links = false;
};

struct LandlockRules {
  std::uint64_t files = 0;    ///< Rights that only the rules give.
  std::uint64_t network = 0;  ///< The same for TCP and UDP; no rule gives any.
  std::uint64_t scopes = 0;   ///< Abstract Unix sockets, signals: only among the tool's own.
  std::vector<LandlockRule> rules;
};

/// All rights on files, and on TCP and UDP, that a kernel of this ABI knows. A right that it does
/// not know is an error. A right that a rule set does not name is left to everybody.
std::uint64_t known_file_rights(int abi);
std::uint64_t known_network_rights(int abi);

/// The rules for Landlock, for a kernel of this ABI. In a file tree of its own (kNamespaces) it is
/// the second lock; else it is the only one and lists everything that may be read. Pure.
LandlockRules make_landlock_rules(const SandboxOptions& options, int abi);

}  // namespace filecall::worker::guard
