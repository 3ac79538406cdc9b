// SPDX-License-Identifier: MIT
#include "client/runs/run_record.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/core/digest.h"
#include "ipc/json_member.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"

namespace filecall::client {
namespace {

constexpr int kVersion = 1;
constexpr std::string_view kFormat = "filecall-run";
constexpr std::size_t kDigitsInId = 8;

}  // namespace

std::string run_digest(const RunPlanText& plan, std::string_view items_digest) {
  const Json all = {
      {"name", plan.name}, {"setup", plan.setup}, {"items", items_digest}, {"version", kVersion}};
  return digest_of(dump_json(all));
}

std::string run_id_ending(std::string_view digest) {
  return "-" + std::string(digest.substr(digest.find(':') + 1).substr(0, kDigitsInId));
}

std::string make_run_id(WallTime created_at, std::string_view digest) {
  std::string stamp = format_rfc3339(created_at);
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':' || c == '.'; });
  return stamp + run_id_ending(digest);
}

Json run_record_json(const RunRecord& record) {
  return {{"format", kFormat},
          {"version", kVersion},
          {"run_id", record.run_id},
          {"name", record.plan.name},
          {"created_at", format_rfc3339(record.created_at)},
          {"digest", record.digest},
          {"requests", record.requests},
          {"items_digest", record.items_digest},
          {"inputs", record.plan.inputs},
          {"setup", record.plan.setup}};
}

Result<RunRecord> parse_run_record(std::string_view bytes, std::string_view run_id) {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("runs/{}.json: {}", run_id, why));
  };
  auto parsed = parse_strict(bytes, limits::kDepthMax, Strictness::kForeign, "run");
  if (!parsed) return refuse(parsed.error().message);
  const Json& json = *parsed;
  if (!json.is_object() || string_member(json, "format") != kFormat)
    return refuse("is no run's record");
  RunRecord record;
  record.run_id = string_member(json, "run_id");
  if (record.run_id != run_id) return refuse("is the record of another run");
  record.plan.name = string_member(json, "name");
  record.digest = string_member(json, "digest");
  record.items_digest = string_member(json, "items_digest");
  const auto created_at = parse_rfc3339(string_member(json, "created_at"));
  if (!created_at || record.digest.empty()) return refuse("lacks created_at or digest");
  record.created_at = *created_at;
  const auto requests = json.find("requests");
  if (requests == json.end() || !requests->is_number_integer()) return refuse("lacks requests");
  record.requests = std::max<std::int64_t>(0, requests->get<std::int64_t>());
  if (const auto setup = json.find("setup"); setup != json.end() && setup->is_object()) {
    record.plan.setup = *setup;
  }
  if (record.digest != run_digest(record.plan, record.items_digest)) {
    return refuse("was changed after the run began: its digest is another one");
  }
  if (const auto inputs = json.find("inputs"); inputs != json.end() && inputs->is_array()) {
    for (const Json& input : *inputs) {
      if (input.is_string()) record.plan.inputs.push_back(input.get<std::string>());
    }
  }
  return record;
}

}  // namespace filecall::client
