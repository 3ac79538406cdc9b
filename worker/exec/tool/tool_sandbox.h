// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/exec/tool/tool_config.h"
#include "worker/proc/sandbox_probe.h"

namespace filecall::worker {

/// What the configuration's `sandbox`, `network`, `require_sandbox` come to on a machine.
struct ToolSandbox {
  ChildSandbox child;  ///< Given to every tool.
  /// Protections that are wanted and missing, each "NAME: why and what is lost"; for the status.
  std::vector<std::string> missing;
  /// A tool sees none of ToolConfig::hidden, and so none of the worker's roots.
  bool hides_roots() const { return child.uses(guard::kNamespaces); }
  /// It may reach the network; filters of system calls alone do not keep it away for certain.
  bool has_network() const { return !child.uses(guard::kNoNetwork); }
};

/// A mistake in the sandbox's settings that their texts show; nullopt: none. Pure.
std::optional<std::string> complaint_about_sandbox(const ToolConfig& config);

/// Decides. `config.roots` are absolute; all paths canonical. Pure. Failures: unimplemented (a
/// protection is missing and required; names it and what to do),
/// failed_precondition (a root that no sandbox can have; a file of the worker's own that tools
/// could reach once it is replaced or rotated, because what hides a file hides that file alone).
Result<ToolSandbox> decide_sandbox(const ToolConfig& config, const SandboxProbe& probe);

/// What ends a tool's processes with its run.
enum class ToolEnding : std::uint8_t {
  kProcessNamespace,  ///< The kernel, with process 1 of their own.
  kAdoption,  ///< The guard; and what a tool leaves that ends its guard, the worker. One that ends
              ///< the worker as well is not found again.
};

/// Asks the guard, where a sandbox is configured; without one this is kAdoption. Failure: it cannot
/// be run.
Result<ToolEnding> find_tool_ending(const ToolConfig& config);

/// The path without links, "." and ".."; of what does not exist (yet), that of its directory and
/// its name.
std::string canonical_path(const std::string& path);
/// The way that an absolute path takes: each link on it, as it lies, and where it ends. Who may
/// replace one of them chooses what the path means.
std::vector<std::string> path_stations(std::string path);

}  // namespace filecall::worker
