// SPDX-License-Identifier: MIT
#include "worker/config/tool_section.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "worker/exec/tool/tool_policy.h"
#include "worker/exec/tool/tool_sandbox.h"

namespace filecall::worker {
namespace {

constexpr std::int64_t kHuge = 1LL << 50;

void read_optional_bytes(YamlSection& section, std::string_view key,
                         std::optional<std::int64_t>& out) {
  if (!section.has(key)) return;
  std::uint64_t bytes = 0;
  section.read_bytes(key, 1, static_cast<std::uint64_t>(kHuge), bytes);
  out = static_cast<std::int64_t>(bytes);
}

void read_optional_integer(YamlSection& section, std::string_view key,
                           std::optional<std::int64_t>& out) {
  if (!section.has(key)) return;
  std::int64_t value = 1;
  section.read_integer(key, 1, kHuge, value);
  out = value;
}

void read_child_limits(YamlSection& section, ChildLimits& limits) {
  read_optional_bytes(section, "memory", limits.memory_bytes);
  if (section.has("cpu")) {
    Duration cpu = seconds(1);
    section.read("cpu", cpu);
    limits.cpu_seconds = std::max<std::int64_t>(1, std::chrono::ceil<seconds>(cpu).count());
  }
  read_optional_integer(section, "files", limits.files);
  read_optional_bytes(section, "file_size", limits.file_bytes);
  read_optional_integer(section, "processes", limits.processes);
}

void read_concurrency(YamlSection& section, const std::string& destination, Config& config) {
  if (!section.has("concurrency")) return;
  std::int64_t concurrency = 1;
  section.read_integer("concurrency", 1, 100'000, concurrency);
  config.destinations[destination].concurrency = static_cast<int>(concurrency);
}

void read_declared_tool(const std::string& name, YamlSection& section, Config& config) {
  DeclaredTool tool;
  tool.name = name;
  section.read("description", tool.description);
  section.read("argv", tool.argv);
  if (section.has("args")) tool.args_schema = section.read_json("args");
  section.read("cwd", tool.cwd);
  section.read_string_map("env", tool.env);
  section.section("limits", [&](YamlSection& s) { read_child_limits(s, tool.limits); });
  if (const auto effects = section.read_choice("effects", {"none", "external"})) {
    tool.effects = *parse_effects(*effects);
  }
  if (const auto risk = section.read_choice("risk", {"low", "medium", "high", "critical"})) {
    tool.risk = *parse_risk(*risk);
  }
  section.read("check", tool.check);
  section.read("allow_leading_dash", tool.allow_leading_dash);
  section.read("timeout", tool.timeout);
  section.read("class", tool.concurrency_class);
  // A tool with a limit of its own is a class of its own.
  if (section.has("concurrency") && tool.concurrency_class.empty()) tool.concurrency_class = name;
  if (!tool.concurrency_class.empty()) {
    read_concurrency(section, "tool." + tool.concurrency_class, config);
  }
  if (const std::string complaint = complaint_about(tool); !complaint.empty()) {
    section.complain("argv", complaint);
  }
  config.tool.tools.push_back(std::move(tool));
}

/// `allow: "*"` may be written without a list.
void read_allow(YamlSection& section, ToolConfig& tool) {
  std::string everything;
  if (section.read_json("allow").is_string()) {
    section.read("allow", everything);
    if (everything != "*") {
      section.complain("allow", "must be a list of programs, e.g. [git, python3], or \"*\"");
    }
    tool.allow = {"*"};
    return;
  }
  section.read("allow", tool.allow);
}

}  // namespace

void read_tool(YamlSection& section, Config& config) {
  ToolConfig& tool = config.tool;
  read_allow(section, tool);
  section.read("roots", tool.roots);
  section.read("cwd", tool.cwd);
  section.read("env", tool.env);
  section.read("timeout", tool.timeout);
  section.read("timeout_max", tool.timeout_max);
  section.read("kill_delay", tool.kill_delay);
  std::uint64_t output_bytes = tool.output_bytes;
  section.read_bytes("output_bytes", 1024, kToolOutputBytesMax, output_bytes);
  tool.output_bytes = output_bytes;
  section.section("limits", [&](YamlSection& s) { read_child_limits(s, tool.limits); });
  if (const auto level = section.read_choice("sandbox", {"none", "read-only", "workspace-write"})) {
    tool.sandbox = *level;
  }
  section.read("network", tool.network);
  if (section.has("require_sandbox")) {
    bool is_required = false;
    section.read("require_sandbox", is_required);
    tool.require_sandbox = is_required;
  }
  section.read("protect", tool.protect);
  section.read("guard", tool.guard);
  read_concurrency(section, "tool", config);
  section.each("tools", [&](const std::string& name, YamlSection& s) {
    read_declared_tool(name, s, config);
  });
  section.read("readable", tool.readable);
  section.read("hidden", tool.hidden);
  section.read_bytes("tmp_bytes", 64 * 1024, 1ULL << 40, tool.tmp_bytes);
  ToolConfig placed = tool;
  for (auto* paths : {&placed.protect, &placed.readable, &placed.hidden}) {
    for (std::string& path : *paths) {
      if (path.starts_with("~/")) path.erase(0, 1);  // It will be absolute.
    }
  }
  if (const auto reason = complaint_about_sandbox(placed)) section.complain("sandbox", *reason);
}

}  // namespace filecall::worker
