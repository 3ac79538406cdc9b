// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "ipc/effects.h"
#include "ipc/json.h"
#include "worker/proc/child.h"

namespace filecall::worker {

/// A tool that the configuration declares (`tool.tools.NAME`): requests name it and give its
/// arguments, the configuration decides what is executed.
struct DeclaredTool {
  std::string name;
  std::string description;
  /// Template: "{name}" stands for an argument, alone or within an element (argv_template.h).
  std::vector<std::string> argv;
  /// JSON Schema (draft-07) of the request's `args`, an object.
  Json args_schema = Json::object();
  std::string cwd;                         ///< As in a request; empty: ToolConfig::cwd.
  std::map<std::string, std::string> env;  ///< Set for this tool, whatever the allow list says.
  ChildLimits limits;                      ///< Each member overrides that of ToolConfig::limits.
  Effects effects = Effects::kExternal;
  Risk risk = Risk::kMedium;
  bool check = false;               ///< A non-zero exit is an error unless the request says no.
  bool allow_leading_dash = false;  ///< Values starting with '-' are no danger to this tool.
  /// Flow control's class: destination "tool.<class>" instead of "tool"; empty: "tool".
  std::string concurrency_class;
  Duration timeout = Duration::zero();  ///< Zero: ToolConfig::timeout.
};

/// The `tool:` section of the worker's configuration file. Plain data; the reader fills it and
/// checks it with check_tool_config() (tool_policy.h). How many run at once is flow control's
/// matter: the destinations "tool" and "tool.<class>".
struct ToolConfig {
  /// Programs that a request's argv may name: base names that are looked up in the worker's PATH,
  /// or paths that argv[0] must equal. "*" allows every program.
  std::vector<std::string> allow;
  /// Directories beneath which tools may start; relative ones count from the directory the worker
  /// was started in. Empty: that directory.
  std::vector<std::string> roots;
  std::string cwd;  ///< Relative to the first root, or absolute; empty: the first root.
  std::vector<std::string> env;     ///< Names passed on from the worker or accepted from a request.
  Duration timeout = seconds(600);  ///< For requests that give none.
  Duration timeout_max = seconds(86400);   ///< What a request may ask for at most.
  Duration kill_delay = seconds(2);        ///< From TERM to KILL.
  std::size_t output_bytes = 1024 * 1024;  ///< Kept of each of stdout and stderr.
  ChildLimits limits;                      ///< Of every tool.
  std::string sandbox = "none";            ///< none | read-only | workspace-write
  bool network = true;
  /// Whether the worker refuses to start with less protection than a level and `network` ask for.
  /// nullopt: a level requires all but landlock-scopes, which few kernels have.
  std::optional<bool> require_sandbox;
  /// Names that stay as they are in a writable sandbox: in each root and from there down to the
  /// directory a tool starts in. Missing ones cannot be made.
  std::vector<std::string> protect = {".git"};
  std::vector<std::string> readable;  ///< Files and directories that a sandbox shows beside roots.
  std::uint64_t tmp_bytes = 256 * 1024 * 1024;  ///< Size of a sandbox's own /tmp.
  /// Directories that no sandbox shows, whatever comes to lie in them; main adds the spool roots.
  std::vector<std::string> hidden;
  /// Files that are the worker's own (configuration, log, keys): no sandbox shows them, and
  /// decide_sandbox() says where they may lie. Not in the file; main fills it.
  std::vector<std::string> own_files;
  /// Programs that run as the worker does, without a sandbox (the guard, credential plugins): no
  /// tool may write them. Not in the file; main fills it.
  std::vector<std::string> own_programs;
  /// Accept the home directory or "/" among the roots (--allow-home).
  bool allow_home = false;
  std::string guard;  ///< Path of filecall-guard; empty: find_guard().
  std::vector<DeclaredTool> tools;
};

inline constexpr std::size_t kToolOutputBytesMax = 64 * 1024 * 1024;
inline constexpr Duration kToolKillDelayMax = seconds(600);

}  // namespace filecall::worker
