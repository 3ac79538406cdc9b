// SPDX-License-Identifier: MIT
#include "client/report/json_summary.h"

namespace filecall::client {
namespace {

Json outcomes(const std::vector<RequestOutcome>& list) {
  Json rows = Json::array();
  for (const RequestOutcome& outcome : list) {
    Json row = {{"request_id", outcome.request_id},
                {"command", outcome.command},
                {"state", to_string(outcome.state)},
                {"attempts", outcome.attempts},
                {"latency_ms", outcome.latency_ms}};
    if (outcome.error_code) {
      row["error_code"] = to_string(*outcome.error_code);
      row["error_message"] = outcome.error_message;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Json cost_json(const Spend& spend) {
  return spend.unpriced == spend.calls ? Json() : Json(spend.cost);
}

Json percentiles_json(const LatencyHistogram& values) {
  return {{"count", values.count()},
          {"mean", values.mean()},
          {"min", values.min()},
          {"p50", values.percentile(50)},
          {"p90", values.percentile(90)},
          {"p99", values.percentile(99)},
          {"p99.9", values.percentile(99.9)},
          {"max", values.max()}};
}

Json json_summary(const RunSummary& summary) {
  Json json = {{"batch", summary.name},
               {"root", summary.root},
               {"requests", std::max(summary.total, summary.ended())},
               {"counts", {{"SUCCESS", summary.success()}, {"GAVE_UP", summary.gave_up()}}},
               {"from_earlier_runs", summary.from_earlier_runs()},
               {"followed", summary.followed()},
               {"cached", summary.cached()},
               {"retries", summary.retries()},
               {"interrupted", summary.was_interrupted()},
               {"started_at", format_rfc3339(summary.started_at())},
               {"elapsed_ms", to_ms(summary.elapsed())},
               {"requests_per_second", summary.rate()},
               {"latency_ms", percentiles_json(summary.latency_ms())},
               {"queued_ms", percentiles_json(summary.queued_ms())},
               {"run_ms", percentiles_json(summary.run_ms())},
               {"attempts", Json::object()},
               {"errors", Json::object()},
               {"commands", Json::object()},
               {"slowest", outcomes(summary.slowest())},
               {"gave_up", outcomes(summary.gave_up_list())}};
  if (const auto& talks = summary.conversations; talks.total > 0) {
    json["conversations"] = {{"total", talks.total},           {"ended", talks.ended},
                             {"gave_up", talks.gave_up},       {"turns", talks.turns},
                             {"tool_calls", talks.tool_calls}, {"tool_errors", talks.tool_errors}};
    json["counts"]["TOOL_FAILED"] = summary.tolerated();
  }
  if (summary.spend.calls > 0) {
    json["spend"] = {{"calls", summary.spend.calls},
                     {"input_tokens", summary.spend.input_tokens},
                     {"output_tokens", summary.spend.output_tokens},
                     {"cost", cost_json(summary.spend)},
                     {"calls_without_price", summary.spend.unpriced}};
  }
  if (!summary.run_id.empty()) json["run_id"] = summary.run_id;
  if (summary.retried_meanwhile > 0) json["retried_meanwhile"] = summary.retried_meanwhile;
  if (summary.responses_missing > 0) json["responses_missing"] = summary.responses_missing;
  if (!summary.stopped_by.empty()) json["stopped_by"] = summary.stopped_by;
  for (std::size_t i = 0; i < summary.by_attempts().size(); ++i) {
    if (summary.by_attempts()[i] > 0) {
      json["attempts"][std::to_string(i + 1)] = summary.by_attempts()[i];
    }
  }
  for (std::size_t i = 0; i < summary.by_error().size(); ++i) {
    if (summary.by_error()[i] > 0) {
      json["errors"][std::string(to_string(static_cast<ErrorCode>(i)))] = summary.by_error()[i];
    }
  }
  for (const auto& [command, row] : summary.by_command()) {
    json["commands"][command] = {{"SUCCESS", row.success}, {"GAVE_UP", row.gave_up}};
  }
  return json;
}

}  // namespace filecall::client
