// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_sandbox.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "worker/proc/sandbox/system_paths.h"

namespace filecall::worker {
namespace {

guard::Level level_of(const ToolConfig& config) {
  if (config.sandbox == "read-only") return guard::Level::kReadOnly;
  return config.sandbox == "workspace-write" ? guard::Level::kWorkspaceWrite : guard::Level::kNone;
}

/// Why a sandbox cannot have this root; empty: it can.
std::string refuse_root(const ToolConfig& config, const std::string& root) {
  if (root == "/") {
    return "is the whole machine; name the directories that tools work in, or start the worker in "
           "one";
  }
  for (const char* own : {"/proc", "/sys"}) {
    if (guard::is_beneath(root, own)) return "is not in a sandbox's file tree";
  }
  if (root == "/dev") return "is a sandbox's own; name a directory beneath it";
  for (const std::string& hidden : config.hidden) {
    if (guard::is_beneath(root, hidden)) {
      return fmt::format(
          "lies in {}, which belongs to the worker and is hidden from tools; name "
          "another directory, or start the worker in one",
          hidden);
    }
  }
  return "";
}

bool is_required(const ToolConfig& config, std::uint32_t protection) {
  const bool is_usual = level_of(config) != guard::Level::kNone && protection != guard::kScopes;
  return config.require_sandbox.value_or(is_usual);
}

/// Why a file of the worker's own may not lie where it does; empty: it may.
std::string refuse_own_file(const ToolConfig& config, const std::string& file) {
  const auto holds_it = [&](const std::string& directory) {
    return guard::is_beneath(file, directory);
  };
  const auto shows_it = [&](const std::vector<std::string>& shown) {
    return std::find_if(shown.begin(), shown.end(), holds_it);
  };
  if (shows_it(config.hidden) != config.hidden.end()) return "";
  const std::pair<const char*, const std::vector<std::string>*> all[] = {
      {"tool.roots", &config.roots},
      {"tool.readable", &config.readable},
      {"the system's own paths", &guard::system_paths()}};
  for (const auto& [name, shown] : all) {
    const auto found = shows_it(*shown);
    if (found == shown->end()) continue;
    return fmt::format(
        "{}: is the worker's own and lies in {} of {}: tools could reach it once it is replaced; "
        "keep it elsewhere, or name its directory in tool.hidden (tool.sandbox is {})",
        file, *found, name, config.sandbox);
  }
  return "";
}

/// Why a program of the worker's may not lie where it does; empty: it may.
std::string refuse_own_program(const ToolConfig& config, const std::string& program) {
  if (level_of(config) != guard::Level::kWorkspaceWrite) return "";
  const auto holds_it = [&](const std::string& directory) {
    return guard::is_beneath(program, directory);
  };
  if (std::any_of(config.hidden.begin(), config.hidden.end(), holds_it)) return "";
  const auto root = std::find_if(config.roots.begin(), config.roots.end(), holds_it);
  if (root == config.roots.end()) return "";
  return fmt::format(
      "{}: runs without a sandbox and lies in {} of tool.roots: a tool could replace it; install "
      "it "
      "elsewhere, start the worker in another directory, or name its directory in tool.hidden",
      program, *root);
}

/// What may not lie where it does; empty: nothing.
std::string refuse_own(const ToolConfig& config) {
  for (const std::string& file : config.own_files) {
    if (std::string reason = refuse_own_file(config, file); !reason.empty()) return reason;
  }
  for (const std::string& program : config.own_programs) {
    if (std::string reason = refuse_own_program(config, program); !reason.empty()) return reason;
  }
  return "";
}

}  // namespace

std::optional<std::string> complaint_about_sandbox(const ToolConfig& config) {
  for (const std::string& name : config.protect) {
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
      return fmt::format(
          "tool.protect: '{}' is not the name of a file; write names such as .git, without '/'",
          name);
    }
  }
  for (const std::string& path : config.readable) {
    if (!path.starts_with('/')) {
      return fmt::format("tool.readable: '{}' must be an absolute path", path);
    }
  }
  for (const std::string& path : config.hidden) {
    if (!path.starts_with('/')) {
      return fmt::format("tool.hidden: '{}' must be the absolute path of a directory", path);
    }
  }
  if (config.require_sandbox == true && config.sandbox == "none" && config.network) {
    return "tool.require_sandbox: there is nothing to require; set tool.sandbox to read-only or "
           "workspace-write, or tool.network to false";
  }
  return std::nullopt;
}

Result<ToolSandbox> decide_sandbox(const ToolConfig& config, const SandboxProbe& probe) {
  ToolSandbox sandbox;
  sandbox.child.level = level_of(config);
  sandbox.child.network = config.network;
  sandbox.child.protections = probe.available;
  sandbox.child.roots = config.roots;
  sandbox.child.readable = config.readable;
  sandbox.child.hidden = config.hidden;
  sandbox.child.hidden.insert(sandbox.child.hidden.end(), config.own_files.begin(),
                              config.own_files.end());
  sandbox.child.protect = config.protect;
  sandbox.child.tmp_bytes = static_cast<std::int64_t>(config.tmp_bytes);
  if (sandbox.child.level != guard::Level::kNone) {
    for (const std::string& root : config.roots) {
      if (const std::string reason = refuse_root(config, root); !reason.empty()) {
        return fail(
            ErrorCode::kInvalidArgument,
            fmt::format("tool.roots: {} {} (tool.sandbox is {})", root, reason, config.sandbox));
      }
    }
    if (std::string reason = refuse_own(config); !reason.empty()) {
      return fail(ErrorCode::kInvalidArgument, std::move(reason));
    }
  }
  const std::uint32_t wanted = guard::wanted_protections(sandbox.child.level, config.network);
  for (const SandboxProbe::Missing& missing : probe.missing) {
    if ((wanted & missing.bit) == 0) continue;
    if (is_required(config, missing.bit)) {
      return fail(
          ErrorCode::kUnimplemented,
          fmt::format(
              "a protection is missing that {} asks for: {}: {}; {}{}",
              config.require_sandbox ? "--require-sandbox (tool.require_sandbox)" : "tool.sandbox",
              missing.name, missing.reason, missing.advice,
              config.require_sandbox ? "" : ", or accept less with tool.require_sandbox: false"));
    }
    sandbox.missing.push_back(fmt::format("{}: {}", missing.name, missing.reason));
  }
  return sandbox;
}

Result<ToolEnding> find_tool_ending(const ToolConfig& config) {
  ChildSandbox sandbox;
  sandbox.level = level_of(config);
  if (sandbox.level == guard::Level::kNone) return ToolEnding::kAdoption;
  std::string guard = config.guard;
  if (guard.empty()) {
    TRY_ASSIGN(guard, find_guard());
  }
  TRY_ASSIGN(const SandboxProbe probe, probe_sandbox(guard));
  sandbox.protections = probe.available;
  return sandbox.uses(guard::kNamespaces) ? ToolEnding::kProcessNamespace : ToolEnding::kAdoption;
}

std::string canonical_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> found(::realpath(path.c_str(), nullptr), &::free);
  if (found != nullptr) return found.get();
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash == 0) return path;
  return canonical_path(path.substr(0, slash)) + path.substr(slash);
}

std::vector<std::string> path_stations(std::string path) {
  constexpr int kLinksMax = 40;  // As the kernel follows.
  std::vector<std::string> stations;
  for (int links = 0; links <= kLinksMax; ++links) {
    bool is_led_on = false;
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
      std::error_code error;
      const std::string part = path.substr(0, end);
      const auto target = std::filesystem::read_symlink(part, error);
      if (!error) {
        const std::size_t slash = part.rfind('/');
        const std::string folder = canonical_path(slash == 0 ? "/" : part.substr(0, slash));
        const std::string prefix = folder == "/" ? "/" : folder + "/";
        stations.push_back(prefix + part.substr(slash + 1));
        const std::string rest = end == std::string::npos ? "" : path.substr(end);
        path = (target.is_absolute() ? target.string() : prefix + target.string()) + rest;
        is_led_on = true;
        break;
      }
      if (end == std::string::npos) break;
    }
    if (!is_led_on) break;
  }
  stations.push_back(canonical_path(path));
  return stations;
}

}  // namespace filecall::worker
