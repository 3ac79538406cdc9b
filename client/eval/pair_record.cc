// SPDX-License-Identifier: MIT
#include "client/eval/pair_record.h"

#include <utility>

#include "client/eval/statistics/clusters.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"

namespace filecall::client {
namespace {

std::string pair_text(const Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  const bool is_text = json.is_object() && found != json.end() && found->is_string();
  return is_text ? found->get<std::string>() : std::string();
}

PairSide side_in(const Json& json, const char* name) {
  if (!json.contains(name)) return {};
  const Json& side = json[name];
  return {pair_text(side, "request_id"), pair_text(side, "response_digest"),
          pair_text(side, "label")};
}

Json pair_side_json(const PairSide& side) {
  return {{"request_id", side.request_id},
          {"response_digest", side.response_digest},
          {"label", side.label}};
}

}  // namespace

Result<PairRecord> parse_pair_record(std::string_view line) {
  auto parsed = parse_strict(line, limits::kDepthMax, Strictness::kForeign, "preference");
  if (!parsed) return fail(ErrorCode::kInvalidArgument, parsed.error().message);
  const Json& json = *parsed;
  if (!json.is_object()) return fail(ErrorCode::kInvalidArgument, "must be a JSON object");
  PairRecord record;
  record.evaluation = pair_text(json, "evaluation");
  record.rule_digest = pair_text(json, "rule_digest");
  record.item = pair_text(json, "item");
  record.a = side_in(json, "a");
  record.b = side_in(json, "b");
  for (const PairSide* side : {&record.a, &record.b}) {
    if (side->request_id.empty() || side->response_digest.empty()) {
      return fail(ErrorCode::kInvalidArgument, "/a and /b: must name a request and a response");
    }
  }
  const auto winner = json.find("winner");
  if (winner != json.end() && !winner->is_null()) {
    record.verdict.winner = parse_preference(pair_text(json, "winner"));
    if (!record.verdict.winner) {
      return fail(ErrorCode::kInvalidArgument, "/winner: must be a, b, tie or null");
    }
  }
  record.verdict.is_inconsistent = json.value("inconsistent", Json()) == true;
  record.verdict.lacks_reply = json.value("lacks_reply", Json()) == true;
  record.verdict.reason = pair_text(json, "reason");
  if (const auto judges = json.find("judges"); judges != json.end() && judges->is_array()) {
    record.verdict.judges = *judges;
  }
  record.judged_at = parse_rfc3339(pair_text(json, "judged_at")).value_or(WallTime{});
  return record;
}

std::string render_pair_record(const PairRecord& record) {
  const PairVerdict& verdict = record.verdict;
  Json json = {{"evaluation", record.evaluation},
               {"rule_digest", record.rule_digest},
               {"item", record.item},
               {"a", pair_side_json(record.a)},
               {"b", pair_side_json(record.b)},
               {"winner", verdict.winner ? Json(to_string(*verdict.winner)) : Json()},
               {"inconsistent", verdict.is_inconsistent},
               {"reason", verdict.reason},
               {"judges", verdict.judges},
               {"judged_at", format_rfc3339(record.judged_at)}};
  if (verdict.lacks_reply) json["lacks_reply"] = true;
  return dump_json(json) + "\n";
}

PairRecord turned_round(PairRecord record) {
  std::swap(record.a, record.b);
  std::optional<Preference>& winner = record.verdict.winner;
  if (winner && *winner != Preference::kTie) {
    winner = *winner == Preference::kA ? Preference::kB : Preference::kA;
  }
  return record;
}

void PairTally::Counts::add(const PairRecord& record) {
  if (record.verdict.is_inconsistent) ++inconsistent;
  if (!record.verdict.winner) {
    ++ungraded;
    return;
  }
  const Preference winner = *record.verdict.winner;
  ++(winner == Preference::kA ? wins_a : winner == Preference::kB ? wins_b : ties);
  const double value = winner == Preference::kA ? 0 : winner == Preference::kB ? 1 : 0.5;
  rate.add_graded(item_key(record.item), value, winner == Preference::kB);
}

void PairTally::add(const PairRecord& record) {
  all_.add(record);
  groups_[{record.a.label, record.b.label}].add(record);
}

}  // namespace filecall::client
