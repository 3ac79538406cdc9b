// SPDX-License-Identifier: MIT
#include "worker/config/config_reader.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "ipc/durability.h"
#include "os/io.h"
#include "worker/config/file_section.h"
#include "worker/config/kube_section.h"
#include "worker/config/llm_section.h"
#include "worker/config/tool_section.h"
#include "yaml/yaml_section.h"

namespace filecall::worker {
namespace {

constexpr std::size_t kConfigBytesMax = 1024 * 1024;

void read_limits(YamlSection& section, RequestLimits& limits) {
  std::uint64_t bytes = limits.bytes_max;
  section.read_bytes("request_bytes", 1024, limits::kRequestBytesMax, bytes);
  limits.bytes_max = bytes;
  std::int64_t depth = limits.depth_max;
  section.read_integer("depth", 4, limits::kDepthMax, depth);
  limits.depth_max = static_cast<int>(depth);
}

void read_log(YamlSection& section, Config& config) {
  if (const auto level = section.read_choice("level", {"debug", "info", "warn", "error"})) {
    config.log_level = *parse_log_level(*level);
  }
  if (const auto format = section.read_choice("format", {"text", "json"})) {
    config.log.json = *format == "json";
  }
  section.read("file", config.log.path);
  std::uint64_t rotate_bytes = config.log.rotate_bytes;
  section.read_bytes("rotate_bytes", 4096, 1ULL << 40, rotate_bytes);
  config.log.rotate_bytes = rotate_bytes;
  std::int64_t files = static_cast<std::int64_t>(config.log.rotated_files);
  section.read_integer("rotated_files", 1, 1000, files);
  config.log.rotated_files = static_cast<std::size_t>(files);
}

void read_per_user(YamlSection& section, UserLimits& limits) {
  constexpr std::int64_t kMost = 1'000'000;
  auto running = static_cast<std::int64_t>(limits.running_max);
  auto waiting = static_cast<std::int64_t>(limits.waiting_max);
  section.read_integer("max_running", 1, kMost, running);
  section.read_integer("max_waiting", 1, kMost, waiting);
  limits = {static_cast<std::size_t>(running), static_cast<std::size_t>(waiting)};
}

void read_destination(YamlSection& section, DestinationLimits& limits) {
  std::int64_t concurrency = limits.concurrency;
  section.read_integer("concurrency", 1, 100'000, concurrency);
  limits.concurrency = static_cast<int>(concurrency);
  section.read_number("rate", 0, 1e6, limits.rate_per_s);
  section.read_number("burst", 1, 1e6, limits.burst);
}

void read_top(YamlSection& top, Config& config) {
  top.read("roots", config.roots);
  if (const auto level = top.read_choice("durability", {"full", "journal", "file", "none"})) {
    config.source.durability = *parse_durability(*level);
  }
  top.read("grace", config.grace);
  top.read("settle", config.source.reader.settle);
  top.read("allow_shared_root", config.source.allow_shared_root);
  top.read("group", config.group);
  top.section("per_user", [&](YamlSection& s) { read_per_user(s, config.per_user); });
  top.section("limits",
              [&](YamlSection& s) { read_limits(s, config.source.reader.request_limits); });
  top.section("log", [&](YamlSection& s) { read_log(s, config); });
  // The tool's concurrency first: destinations may say otherwise for a class.
  top.section("tool", [&](YamlSection& s) { read_tool(s, config); });
  top.section("llm", [&](YamlSection& s) { read_llm(s, config); });
  top.section("kube", [&](YamlSection& s) { read_kube(s, config); });
  top.section("file", [&](YamlSection& s) { read_file_section(s, config); });
  top.each("destinations", [&](const std::string& name, YamlSection& s) {
    read_destination(s, config.destinations[name]);
  });
  top.finish();
}

std::string in_home(const std::string& path, const std::string& home) {
  if (home.empty() || (path != "~" && !path.starts_with("~/"))) return path;
  return home + path.substr(1);
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view name) {
  if (name == "debug") return LogLevel::kDebug;
  if (name == "info") return LogLevel::kInfo;
  if (name == "warn") return LogLevel::kWarn;
  if (name == "error") return LogLevel::kError;
  return std::nullopt;
}

Result<Config> read_config(const std::string& yaml, const std::string& file_name) {
  std::vector<std::string> complaints;
  Config config;
  TRY_ASSIGN(YamlSection top, YamlSection::parse(yaml, file_name, complaints));
  read_top(top, config);
  config.digest = config_digest(yaml);
  if (!complaints.empty()) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}", fmt::join(complaints, "\n")));
  }
  return config;
}

void expand_home(Config& config, const std::string& home) {
  const auto expand = [&home](std::string& path) { path = in_home(path, home); };
  ToolConfig& tool = config.tool;
  file::FileConfig& files = config.file;
  for (auto* paths : {&config.roots, &tool.roots, &tool.protect, &tool.readable, &tool.hidden,
                      &files.roots, &files.writable}) {
    std::for_each(paths->begin(), paths->end(), expand);
  }
  for (auto* path : {&config.log.path, &tool.cwd, &tool.guard}) expand(*path);
  for (DeclaredTool& one : tool.tools) expand(one.cwd);
  for (llm::ProviderConfig& provider : config.llm.providers) {
    expand(provider.api_key_file);
    expand(provider.ca_file);
    if (provider.is_scripted()) {
      expand(provider.script);
      provider.base_url = "script:" + provider.script;
    }
  }
  expand(config.kube.kubeconfig);
  expand(config.kube.cache_directory);
}

Result<Config> read_config_file(const std::string& path) {
  TRY_ASSIGN(const std::string yaml, read_file(path, kConfigBytesMax));
  TRY_ASSIGN(Config config, read_config(yaml, path));
  const char* home = std::getenv("HOME");
  expand_home(config, home == nullptr ? "" : home);
  return config;
}

}  // namespace filecall::worker
