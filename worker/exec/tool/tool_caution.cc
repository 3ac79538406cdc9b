// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_caution.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "worker/exec/tool/tool_places.h"
#include "worker/exec/tool/tool_sandbox.h"

namespace filecall::worker {
namespace {

constexpr std::string_view kRunAnything[] = {
    "*",      "ash",   "awk",   "bash",        "busybox",  "bun",    "cargo", "chroot",  "cmake",
    "csh",    "dash",  "deno",  "docker",      "ed",       "emacs",  "env",   "ex",      "expect",
    "fish",   "find",  "flock", "gawk",        "gdb",      "git",    "go",    "java",    "ksh",
    "less",   "ld.so", "lua",   "make",        "man",      "mawk",   "more",  "nice",    "node",
    "nohup",  "npm",   "npx",   "nsenter",     "parallel", "perl",   "php",   "pip",     "podman",
    "python", "rsync", "ruby",  "script",      "sed",      "setsid", "sh",    "ssh",     "stdbuf",
    "strace", "su",    "sudo",  "systemd-run", "tar",      "tclsh",  "time",  "timeout", "unshare",
    "vi",     "view",  "vim",   "watch",       "xargs",    "zip",    "zsh"};

/// "python3.11" is python.
std::string_view family_of(std::string_view program) {
  program = program.substr(program.rfind('/') + 1);
  const std::size_t end = program.find_last_not_of("0123456789.");
  return end == program.npos ? program : program.substr(0, end + 1);
}

bool runs_anything(const std::string& program) {
  const auto is_it = [&](std::string_view known) {
    return known == program || known == family_of(program) ||
           known == std::string_view(program).substr(program.rfind('/') + 1);
  };
  return std::any_of(std::begin(kRunAnything), std::end(kRunAnything), is_it);
}

}  // namespace

std::string names_that_run_anything(const std::vector<std::string>& allow) {
  std::string names;
  for (const std::string& program : allow) {
    if (runs_anything(program)) names += (names.empty() ? "" : ", ") + program;
  }
  return names;
}

Result<void> check_tool_roots(const ToolConfig& config, const std::string& home) {
  if (config.allow_home || (config.allow.empty() && config.tools.empty())) return {};
  for (const std::string& root : config.roots) {
    const std::string path = canonical_path(root);
    const bool is_home = !home.empty() && path == canonical_path(home);
    if (path != "/" && !is_home) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("tool.roots: {} is {}, so that tools could reach all of it; name the "
                            "directories that they work in (tool.roots, or start the worker in "
                            "one), or accept it with --allow-home",
                            root, is_home ? "the home directory" : "the root directory"));
  }
  return {};
}

std::vector<std::string> missing_tool_roots(const ToolConfig& config) {
  std::vector<std::string> missing;
  if (config.allow.empty() && config.tools.empty()) return missing;
  for (const std::string& root : config.roots) {
    std::error_code status;
    if (std::filesystem::is_directory(root, status)) continue;
    missing.push_back(fmt::format(
        "tool.roots: {}: {}; tools cannot work there until it is made, or "
        "the path corrected",
        root, std::filesystem::exists(root, status) ? "is no directory" : "there is none"));
  }
  return missing;
}

std::vector<std::string> missing_tool_programs(const ToolConfig& config, std::string_view path) {
  std::vector<std::string> missing;
  const auto look = [&](const std::string& setting, const std::string& program) {
    const bool is_name = program.find('/') == std::string::npos;
    if (program == "*" || (!is_name && !program.starts_with('/'))) return;
    const auto file = find_program(program, path);
    if (!file) {
      // Of this process, which may check what a worker that is started elsewhere will run.
      missing.push_back(fmt::format(
          "{}: {}: no such program in PATH ({}); install it, or start the worker with a PATH that "
          "has it",
          setting, program, path));
    } else if (!is_executable_file(*file)) {
      missing.push_back(fmt::format("{}: {}: no executable file; install it, or correct the path",
                                    setting, program));
    }
  };
  for (const std::string& program : config.allow) look("tool.allow", program);
  for (const DeclaredTool& tool : config.tools) {
    if (!tool.argv.empty()) look(fmt::format("tool.tools.{}", tool.name), tool.argv.front());
  }
  return missing;
}

}  // namespace filecall::worker
