// SPDX-License-Identifier: MIT
#include "client/report/items/item_json.h"

#include "client/report/items/judging_output.h"
#include "client/report/items/score_text.h"
#include "client/report/json_summary.h"

namespace filecall::client {
namespace {

template <typename Value>
void put_optional(Json& json, const char* name, const std::optional<Value>& value) {
  if (value) json[name] = *value;
}

void put_text(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = text;
}

Json counts_of(const GroupTally& group) {
  Json counts = Json::object();
  for (int i = 0; i < kItemOutcomeCount; ++i) {
    const auto outcome = static_cast<ItemOutcome>(i);
    counts[std::string(to_string(outcome))] = group.count(outcome);
  }
  return counts;
}

Json usage_json(const UsageSums& usage) {
  Json json = {{"input_tokens", usage.input_tokens},
               {"output_tokens", usage.output_tokens},
               {"cached_input_tokens", usage.cached_input_tokens},
               {"reasoning_tokens", usage.reasoning_tokens},
               {"answers_with_usage", usage.counted},
               {"cost", nullptr},
               {"answers_with_cost", usage.priced},
               {"answers_without_price", usage.unpriced}};
  if (usage.priced > 0) json["cost"] = usage.cost;
  return json;
}

void put_scores(const ScoreTally& tally, const std::optional<std::int64_t>& k, Json& json) {
  const ScoreSummary summary = summarize(tally, k);
  json["score"] = estimate_json(summary.score);
  json["pass_rate"] = estimate_json(summary.pass_rate);
  if (summary.repeats.k <= 1 && !k) return;
  json["repeats"] = {{"k", summary.repeats.k},
                     {"pass_at_k", estimate_json(summary.repeats.pass_at_k)},
                     {"pass_hat_k", estimate_json(summary.repeats.pass_hat_k)},
                     {"items_left_out", summary.repeats.items_left_out}};
}

}  // namespace

Json grade_json(const Grade& grade) {
  Json json = {{"name", grade.name}, {"kind", grade.kind}, {"score", nullptr}, {"passed", nullptr}};
  put_optional(json, "score", grade.score);
  put_optional(json, "passed", grade.passed);
  put_text(json, "reason", grade.reason);
  put_text(json, "expected", grade.expected);
  return json;
}

Json item_json(const ReportItem& item) {
  Json json = {{"request_id", item.request_id},
               {"command", item.command},
               {"state", to_string(item.state)},
               {"attempts", item.attempts},
               {"item", item.item},
               {"repeat", item.repeat},
               {"outcome", to_string(item.outcome)},
               {"score", nullptr},
               {"passed", nullptr},
               {"grades", Json::array()},
               {"prompt", item.prompt},
               {"answer", item.answer}};
  put_text(json, "batch", item.batch);
  if (item.turns.is_array()) json["turns"] = item.turns;
  if (item.vars.is_object()) json["vars"] = item.vars;
  put_text(json, "prompt_name", item.prompt_name);
  put_text(json, "provider", item.provider);
  put_text(json, "model", item.model);
  put_text(json, "finish_reason", item.finish_reason);
  put_text(json, "error_class", item.error_class);
  put_text(json, "error_message", item.error_message);
  put_text(json, "evaluation_problem", item.evaluation_problem);
  if (item.error_code) json["error_code"] = to_string(*item.error_code);
  if (item.submitted_at != WallTime{}) json["submitted_at"] = format_rfc3339(item.submitted_at);
  if (is_final(item.state)) {
    json["finished_at"] = format_rfc3339(item.finished_at);
    json["latency_ms"] = item.latency_ms;
    json["queued_ms"] = item.queued_ms;
    json["run_ms"] = item.run_ms;
  }
  if (item.is_cached) json["cached"] = true;
  put_optional(json, "first_token_ms", item.first_token_ms);
  put_optional(json, "input_tokens", item.usage.input_tokens);
  put_optional(json, "output_tokens", item.usage.output_tokens);
  put_optional(json, "cached_input_tokens", item.usage.cached_input_tokens);
  put_optional(json, "reasoning_tokens", item.usage.reasoning_tokens);
  put_optional(json, "cost", item.usage.cost);
  if (item.usage.is_unpriced()) json["cost"] = nullptr;
  if (!item.evaluation) return json;
  if (item.evaluation->counts_as_zero) json["counts_as"] = "zero";
  if (item.outcome == ItemOutcome::kUngraded) put_text(json, "reason", item.evaluation->reason);
  if (item.outcome == ItemOutcome::kGraded) {
    put_optional(json, "score", item.evaluation->score);
    put_optional(json, "passed", item.evaluation->passed);
  }
  for (const Grade& grade : item.evaluation->grades) json["grades"].push_back(grade_json(grade));
  return json;
}

Json estimate_json(const Estimate& estimate) {
  Json json = {{"value", nullptr},
               {"standard_error", nullptr},
               {"low", nullptr},
               {"high", nullptr},
               {"method", to_string(estimate.method)},
               {"answers", estimate.observations},
               {"items", estimate.items}};
  put_optional(json, "value", estimate.value);
  put_optional(json, "standard_error", estimate.standard_error);
  if (estimate.interval) {
    json["low"] = estimate.interval->low;
    json["high"] = estimate.interval->high;
  }
  return json;
}

Json group_json(const GroupTally& group, const std::optional<std::int64_t>& repeats_k) {
  Json json = {{"requests", group.total()},
               {"counts", counts_of(group)},
               {"evaluated", group.evaluated()},
               {"error_rate", group.error_rate()},
               {"retries", group.retries()},
               {"errors", group.errors()},
               {"run_ms", percentiles_json(group.run_ms())},
               {"first_token_ms", percentiles_json(group.first_token_ms())},
               {"usage", usage_json(group.usage())},
               {"graders", Json::object()}};
  OutcomeCounts counts = group.scores().counts();
  json["counted_as_zero"] = Json::object();
  for (int i = 0; i < kItemOutcomeCount; ++i) {
    const auto why = no_grade_of(static_cast<ItemOutcome>(i));
    if (!why || !counts.is_zero.at(static_cast<std::size_t>(*why))) continue;
    json["counted_as_zero"][std::string(to_string(static_cast<ItemOutcome>(i)))] = counts.of(*why);
  }
  put_scores(group.scores(), repeats_k, json);
  for (const auto& [name, tally] : group.graders()) {
    Json grader = {{"graded", tally.counts().graded}, {"ungraded", tally.counts().ungraded}};
    put_scores(tally, repeats_k, grader);
    json["graders"][name] = std::move(grader);
  }
  return json;
}

Json report_json(const ReportTally& tally) {
  Json json = json_summary(tally.run());
  json["format"] = "filecall-report";
  json["version"] = 1;
  json["evaluation"] = tally.evaluation;
  json["runs"] = tally.runs;
  json["evaluation_problems"] = tally.evaluation_problems();
  json["spec_digests"] = tally.spec_digests();
  json["confidence"] = kConfidence;
  json["score_is"] = kScoreDefinition;
  json["all"] = group_json(tally.all(), tally.repeats_k);
  // How often a question is answered in all models together says nothing of any of them.
  if (tally.groups().size() > 1) json["all"].erase("repeats");
  json["judging"] = judging_json(tally.judging);
  json["pairs"] = pair_sections_json(tally.pairs);
  json["lacking_replies"] = tally.lacking_replies;
  json["groups"] = Json::array();
  for (const auto& [key, group] : tally.groups()) {
    Json row = group_json(group, tally.repeats_k);
    row["model"] = key.subject;
    row["prompt_name"] = key.prompt;
    json["groups"].push_back(std::move(row));
  }
  return json;
}

}  // namespace filecall::client
