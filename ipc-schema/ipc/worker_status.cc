// SPDX-License-Identifier: MIT
#include "ipc/worker_status.h"

#include <fmt/core.h>

#include <limits>
#include <utility>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"

namespace filecall {
namespace {

constexpr std::string_view kStateNames[] = {"starting", "ready", "draining", "stopped"};
constexpr std::string_view kWatchNames[] = {"inotify", "poll"};

struct CountRow {
  const char* name;
  std::int64_t WorkerStatus::Counts::*member;
};
constexpr CountRow kCounts[] = {
    {"pending", &WorkerStatus::Counts::pending}, {"executing", &WorkerStatus::Counts::executing},
    {"success", &WorkerStatus::Counts::success}, {"error", &WorkerStatus::Counts::error},
    {"ignored", &WorkerStatus::Counts::ignored}, {"overflows", &WorkerStatus::Counts::overflows},
    {"rescans", &WorkerStatus::Counts::rescans},
};

/// Appends `"name":"text",`.
void append_text(std::string& out, std::string_view name, std::string_view text) {
  append_json_string(out, name);
  out += ':';
  append_json_string(out, text);
  out += ',';
}

void append_counts(std::string& out, const WorkerStatus::Counts& counts) {
  out += "\"counts\":";
  char before = '{';
  for (const CountRow& row : kCounts) {
    out += before;
    before = ',';
    append_json_string(out, row.name);
    out += ':';
    append_json_integer(out, counts.*row.member);
  }
  out += "},";
}

void append_names(std::string& out, const char* list, const std::vector<std::string>& names) {
  append_json_string(out, list);
  out += ":[";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(out, names[i]);
  }
  out += "],";
}

void append_commands(std::string& out, const std::vector<WorkerStatus::Command>& commands) {
  out += "\"commands\":[";
  for (std::size_t i = 0; i < commands.size(); ++i) {
    out += i > 0 ? ",{" : "{";
    append_text(out, "name", commands[i].name);
    out += "\"effects\":\"";
    out += to_string(commands[i].effects);
    out += "\"}";
  }
  out += ']';
}

struct DestinationRow {
  const char* name;
  std::int64_t WorkerStatus::Destination::*member;
};
constexpr DestinationRow kDestinationCounts[] = {
    {"in_flight", &WorkerStatus::Destination::in_flight},
    {"waiting", &WorkerStatus::Destination::waiting},
    {"held", &WorkerStatus::Destination::held},
    {"window", &WorkerStatus::Destination::window},
    {"concurrency", &WorkerStatus::Destination::concurrency},
    {"pause_ms", &WorkerStatus::Destination::pause_ms},
};

void append_destinations(std::string& out,
                         const std::vector<WorkerStatus::Destination>& destinations) {
  out += ",\"destinations\":[";
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    out += i > 0 ? ",{" : "{";
    append_text(out, "name", destinations[i].name);
    for (const DestinationRow& row : kDestinationCounts) {
      append_json_string(out, row.name);
      out += ':';
      append_json_integer(out, destinations[i].*row.member);
      out += ',';
    }
    append_text(out, "problem", destinations[i].problem);
    out.back() = '}';
  }
  out += ']';
}

std::string read_text(const Json& root, const char* name) {
  const auto member = root.find(name);
  const auto* text = member == root.end() ? nullptr : member->get_ptr<const std::string*>();
  return text == nullptr ? std::string() : *text;
}

std::int64_t read_number(const Json& root, const char* name) {
  const auto member = root.find(name);
  return member != root.end() && member->is_number_integer() ? member->get<std::int64_t>() : 0;
}

std::optional<std::uint32_t> read_user(const Json& root) {
  const std::int64_t number = root.contains("user") ? read_number(root, "user") : -1;
  if (number < 0 || number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

std::vector<std::string> read_names(const Json& root, const char* list) {
  std::vector<std::string> names;
  const auto found = root.find(list);
  if (found == root.end() || !found->is_array()) return names;
  for (const Json& name : *found) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return names;
}

/// What is said in part is not said.
std::optional<ToolConfinement> read_tool_sandbox(const Json& root) {
  const auto found = root.find("tool_sandbox");
  if (found == root.end() || !found->is_object()) return std::nullopt;
  const auto hides = found->find("hides_root");
  const auto network = found->find("network");
  const std::string level = read_text(*found, "level");
  if (level.empty() || hides == found->end() || !hides->is_boolean() || network == found->end() ||
      !network->is_boolean()) {
    return std::nullopt;
  }
  return ToolConfinement{level, hides->get<bool>(), network->get<bool>(),
                         read_names(*found, "roots")};
}

void append_tool_sandbox(std::string& out, const ToolConfinement& sandbox) {
  out += "\"tool_sandbox\":{";
  append_text(out, "level", sandbox.level);
  out += sandbox.hides_root ? "\"hides_root\":true," : "\"hides_root\":false,";
  append_names(out, "roots", sandbox.roots);
  out += sandbox.has_network ? "\"network\":true}," : "\"network\":false},";
}

void read_lists(const Json& root, WorkerStatus& status) {
  status.missing_protections = read_names(root, "missing_protections");
  status.paused = read_names(root, "paused");
  status.paused_count = read_number(root, "paused_count");
  if (const auto all = root.find("destinations"); all != root.end() && all->is_array()) {
    for (const Json& one : *all) {
      if (!one.is_object()) continue;
      WorkerStatus::Destination& destination = status.destinations.emplace_back();
      destination.name = read_text(one, "name");
      destination.problem = read_text(one, "problem");
      for (const DestinationRow& row : kDestinationCounts) {
        destination.*row.member = read_number(one, row.name);
      }
    }
  }
  const auto commands = root.find("commands");
  if (commands == root.end() || !commands->is_array()) return;
  for (const Json& command : *commands) {
    if (!command.is_object()) continue;
    status.commands.push_back(
        {read_text(command, "name"),
         parse_effects(read_text(command, "effects")).value_or(Effects::kExternal)});
  }
}

Unexpected<Error> broken_status(std::string_view rule) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("worker status: {}", rule));
}

}  // namespace

std::string_view to_string(WorkerState state) { return kStateNames[static_cast<int>(state)]; }

std::optional<WorkerState> parse_worker_state(std::string_view name) {
  for (const WorkerState state : {WorkerState::kStarting, WorkerState::kReady,
                                  WorkerState::kDraining, WorkerState::kStopped}) {
    if (to_string(state) == name) return state;
  }
  return std::nullopt;
}

std::string render_worker_status(const WorkerStatus& status) {
  std::string out = "{";
  append_text(out, "state", to_string(status.state));
  out += "\"pid\":";
  append_json_integer(out, status.pid);
  out += ',';
  append_text(out, "instance", status.instance);
  append_text(out, "boot_id", status.boot_id);
  append_text(out, "version", status.version);
  append_text(out, "started_at", format_rfc3339(status.started_at));
  append_text(out, "heartbeat_at", format_rfc3339(status.heartbeat_at));
  append_text(out, "watch", kWatchNames[static_cast<int>(status.watch)]);
  append_text(out, "watch_reason", status.watch_reason);
  if (status.grace_ms >= 0) {
    out += "\"grace_ms\":";
    append_json_integer(out, status.grace_ms);
    out += ',';
  }
  append_text(out, "durability", status.durability);
  append_text(out, "problem", status.problem);
  if (status.user) {
    out += "\"user\":";
    append_json_integer(out, *status.user);
    out += ',';
  }
  if (!status.user_map.empty()) append_text(out, "user_map", status.user_map);
  append_names(out, "missing_protections", status.missing_protections);
  if (status.tool_sandbox) append_tool_sandbox(out, *status.tool_sandbox);
  if (!status.file_directory.empty()) append_text(out, "file_directory", status.file_directory);
  append_names(out, "paused", status.paused);
  out += "\"paused_count\":";
  append_json_integer(out, status.paused_count);
  out += ',';
  append_counts(out, status.counts);
  append_commands(out, status.commands);
  append_destinations(out, status.destinations);
  out += "}\n";
  return out;
}

Result<WorkerStatus> parse_worker_status(std::string_view bytes) {
  auto parsed = parse_strict(bytes, limits::kDepth, Strictness::kForeign, "worker status");
  if (!parsed) {
    return fail(ErrorCode::kInvalidArgument, parsed.error().message);
  }
  const Json& root = *parsed;
  if (!root.is_object()) return broken_status("must be a JSON object");
  const auto state = parse_worker_state(read_text(root, "state"));
  if (!state) return broken_status("/state: must be one of starting, ready, draining, stopped");
  WorkerStatus status;
  status.state = *state;
  status.pid = read_number(root, "pid");
  if (status.pid < 0) return broken_status("/pid: must not be negative");
  status.instance = read_text(root, "instance");
  status.boot_id = read_text(root, "boot_id");
  status.version = read_text(root, "version");
  status.started_at = parse_rfc3339(read_text(root, "started_at")).value_or(WallTime{});
  status.heartbeat_at = parse_rfc3339(read_text(root, "heartbeat_at")).value_or(WallTime{});
  status.watch =
      read_text(root, "watch") == kWatchNames[1] ? WatchMode::kPoll : WatchMode::kInotify;
  status.watch_reason = read_text(root, "watch_reason");
  if (root.contains("grace_ms")) status.grace_ms = read_number(root, "grace_ms");
  status.durability = read_text(root, "durability");
  status.problem = read_text(root, "problem");
  status.user = read_user(root);
  status.user_map = read_text(root, "user_map");
  if (const auto counts = root.find("counts"); counts != root.end() && counts->is_object()) {
    for (const CountRow& row : kCounts) status.counts.*row.member = read_number(*counts, row.name);
  }
  status.tool_sandbox = read_tool_sandbox(root);
  status.file_directory = read_text(root, "file_directory");
  read_lists(root, status);
  return status;
}

}  // namespace filecall
