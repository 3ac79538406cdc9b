// SPDX-License-Identifier: MIT
#include "ipc/worker_status.h"

#include <fmt/core.h>

#include <array>

#include "ipc/json.h"

namespace filecall {
namespace {

constexpr std::array<std::string_view, 4> kStateNames = {"starting", "ready", "draining",
                                                         "stopped"};

std::string text_or_empty(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t integer_or_zero(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<std::int64_t>() : 0;
}

Json counts_to_json(const WorkerStatus::Counts& counts) {
  return {{"pending", counts.pending}, {"executing", counts.executing},
          {"success", counts.success}, {"error", counts.error},
          {"ignored", counts.ignored}, {"overflows", counts.overflows},
          {"rescans", counts.rescans}};
}

WorkerStatus::Counts counts_from_json(const Json& object) {
  return {integer_or_zero(object, "pending"), integer_or_zero(object, "executing"),
          integer_or_zero(object, "success"), integer_or_zero(object, "error"),
          integer_or_zero(object, "ignored"), integer_or_zero(object, "overflows"),
          integer_or_zero(object, "rescans")};
}

Json commands_to_json(const std::vector<WorkerStatus::Command>& commands) {
  Json list = Json::array();
  for (const auto& command : commands) {
    list.push_back({{"name", command.name}, {"effects", to_string(command.effects)}});
  }
  return list;
}

void read_lists(const Json& object, WorkerStatus& status) {
  if (const auto list = object.find("missing_protections");
      list != object.end() && list->is_array()) {
    for (const Json& item : *list) {
      if (item.is_string()) status.missing_protections.push_back(item.get<std::string>());
    }
  }
  if (const auto list = object.find("commands"); list != object.end() && list->is_array()) {
    for (const Json& item : *list) {
      if (!item.is_object()) continue;
      status.commands.push_back(
          {text_or_empty(item, "name"),
           parse_effects(text_or_empty(item, "effects")).value_or(Effects::kExternal)});
    }
  }
}

}  // namespace

std::string_view to_string(WorkerState state) {
  return kStateNames.at(static_cast<std::size_t>(state));
}

std::optional<WorkerState> parse_worker_state(std::string_view name) {
  for (std::size_t i = 0; i < kStateNames.size(); ++i) {
    if (kStateNames[i] == name) return static_cast<WorkerState>(i);
  }
  return std::nullopt;
}

std::string render_worker_status(const WorkerStatus& status) {
  const Json object = {{"state", to_string(status.state)},
                       {"pid", status.pid},
                       {"instance", status.instance},
                       {"boot_id", status.boot_id},
                       {"version", status.version},
                       {"started_at", format_rfc3339(status.started_at)},
                       {"heartbeat_at", format_rfc3339(status.heartbeat_at)},
                       {"watch", status.watch == WatchMode::kInotify ? "inotify" : "poll"},
                       {"watch_reason", status.watch_reason},
                       {"durability", status.durability},
                       {"problem", status.problem},
                       {"missing_protections", status.missing_protections},
                       {"counts", counts_to_json(status.counts)},
                       {"commands", commands_to_json(status.commands)}};
  // Indented: people read it with cat.
  return dump_json(object, 2) + "\n";
}

Result<WorkerStatus> parse_worker_status(std::string_view bytes) {
  const Json object = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (!object.is_object()) {
    return fail(ErrorCode::kInvalidArgument, "status.json: not a JSON object");
  }
  WorkerStatus status;
  const auto state = parse_worker_state(text_or_empty(object, "state"));
  if (!state) {
    return fail(ErrorCode::kInvalidArgument,
                "status.json: /state must be starting, ready, draining or stopped");
  }
  status.state = *state;
  status.pid = integer_or_zero(object, "pid");
  status.instance = text_or_empty(object, "instance");
  status.boot_id = text_or_empty(object, "boot_id");
  status.version = text_or_empty(object, "version");
  status.started_at = parse_rfc3339(text_or_empty(object, "started_at")).value_or(WallTime{});
  status.heartbeat_at = parse_rfc3339(text_or_empty(object, "heartbeat_at")).value_or(WallTime{});
  status.watch = text_or_empty(object, "watch") == "poll" ? WatchMode::kPoll : WatchMode::kInotify;
  status.watch_reason = text_or_empty(object, "watch_reason");
  status.durability = text_or_empty(object, "durability");
  status.problem = text_or_empty(object, "problem");
  if (const auto counts = object.find("counts"); counts != object.end() && counts->is_object()) {
    status.counts = counts_from_json(*counts);
  }
  read_lists(object, status);
  return status;
}

}  // namespace filecall
