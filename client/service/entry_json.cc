// SPDX-License-Identifier: MIT
#include "client/service/entry_json.h"

namespace filecall::client {
namespace {

void put_time(Json& json, const char* name, WallTime time) {
  if (time != WallTime{}) json[name] = format_rfc3339(time);
}

}  // namespace

std::string_view watch_name(WatchMode mode) {
  return mode == WatchMode::kInotify ? "inotify" : "poll";
}

Json entry_json(const RequestEntry& entry) {
  Json json = {{"request_id", entry.request_id},
               {"state", to_string(entry.state)},
               {"attempt", entry.attempts}};
  if (!entry.command.empty()) json["command"] = entry.command;
  if (entry.error_code) {
    json["error_code"] = to_string(*entry.error_code);
    json["error_message"] = entry.error_message;
  }
  if (!entry.batch.empty()) json["batch"] = entry.batch;
  put_time(json, "submitted_at", entry.submitted_at);
  put_time(json, "updated_at", entry.updated_at);
  if (entry.due_at) put_time(json, "due_at", *entry.due_at);
  if (entry.finished_at) {
    put_time(json, "finished_at", *entry.finished_at);
    json["queued_ms"] = entry.queued_ms;
    json["run_ms"] = entry.run_ms;
  }
  if (!entry.owner.empty()) {
    json["owner"] = entry.owner;
    json["owner_is_alive"] = entry.owner_is_alive;
  }
  if (entry.is_inferred) json["inferred"] = true;
  return json;
}

Json counts_json(const LedgerCounts& counts) {
  Json json = Json::object();
  for (int i = 0; i < kRequestStateCount; ++i) {
    json[std::string(to_string(static_cast<RequestState>(i)))] =
        counts.by_state[static_cast<std::size_t>(i)];
  }
  return json;
}

Json worker_json(const WorkerView& worker) {
  Json json = {{"presence", to_string(worker.presence)}};
  if (worker.pid > 0) json["pid"] = worker.pid;
  if (!worker.status) return json;
  const WorkerStatus& status = *worker.status;
  json["state"] = to_string(status.state);
  json["instance"] = status.instance;
  json["version"] = status.version;
  put_time(json, "started_at", status.started_at);
  put_time(json, "heartbeat_at", status.heartbeat_at);
  json["watch"] = watch_name(status.watch);
  if (!status.watch_reason.empty()) json["watch_reason"] = status.watch_reason;
  json["durability"] = status.durability;
  if (!status.problem.empty()) json["problem"] = status.problem;
  if (!status.missing_protections.empty()) {
    json["missing_protections"] = status.missing_protections;
  }
  const WorkerStatus::Counts& counts = status.counts;
  json["counts"] = {{"pending", counts.pending}, {"executing", counts.executing},
                    {"success", counts.success}, {"error", counts.error},
                    {"ignored", counts.ignored}, {"overflows", counts.overflows},
                    {"rescans", counts.rescans}};
  json["commands"] = Json::array();
  for (const WorkerStatus::Command& command : status.commands) {
    json["commands"].push_back(command.name);
  }
  return json;
}

Json outcome_json(const RequestOutcome& outcome) {
  Json json = {{"time", format_rfc3339(outcome.finished_at)},
               {"request_id", outcome.request_id},
               {"command", outcome.command},
               {"state", to_string(outcome.state)},
               {"attempts", outcome.attempts},
               {"latency_ms", outcome.latency_ms}};
  if (outcome.error_code) {
    json["error_code"] = to_string(*outcome.error_code);
    json["error_message"] = outcome.error_message;
  }
  return json;
}

Json content_json(const std::optional<std::string>& text) {
  if (!text) return nullptr;
  Json parsed = Json::parse(*text, nullptr, false);
  return parsed.is_discarded() ? Json(*text) : parsed;
}

Json details_json(const RequestDetails& details) {
  Json json = entry_json(details.entry);
  json["request"] = content_json(details.request);
  json["response"] = content_json(details.response);
  json["failed"] = content_json(details.failed);
  json["eval"] = content_json(details.eval);
  json["files"] = details.files;
  if (details.turns.is_array()) json["turns"] = details.turns;
  return json;
}

}  // namespace filecall::client
