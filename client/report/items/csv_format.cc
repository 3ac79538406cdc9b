// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "client/report/csv_row.h"
#include "client/report/items/report_format.h"
#include "ipc/json.h"

namespace filecall::client {
namespace {

template <typename Value>
std::string number_field(const std::optional<Value>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string time_field(WallTime time) { return time == WallTime{} ? "" : format_rfc3339(time); }

/// {"grader": score or null, ...}: graders differ from item to item, columns must not.
std::string grades_field(const ReportItem& item) {
  if (!item.evaluation || item.evaluation->grades.empty()) return {};
  Json grades = Json::object();
  for (const Grade& grade : item.evaluation->grades) {
    grades[grade.name] = grade.score ? Json(*grade.score) : Json();
  }
  return csv_field(dump_json(grades));
}

class CsvFormat final : public ReportFormat {
 public:
  std::string item(const ReportItem& item) override {
    const bool is_graded = item.outcome == ItemOutcome::kGraded;
    std::string line =
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},", csv_text(item.request_id),
                    csv_text(item.command), to_string(item.state), item.attempts, item.latency_ms,
                    item.queued_ms, item.run_ms, item.error_code ? to_string(*item.error_code) : "",
                    csv_text(item.error_message), time_field(item.submitted_at),
                    time_field(item.finished_at), csv_text(item.batch), csv_text(item.item));
    line += fmt::format(
        "{},{},{},{},{},{},{},{},", csv_text(item.prompt_name), csv_text(item.provider),
        csv_text(item.model), item.repeat, to_string(item.outcome),
        is_graded ? number_field(item.evaluation->score) : std::string(),
        is_graded ? number_field(item.evaluation->passed) : std::string(), grades_field(item));
    line +=
        fmt::format("{},{},{},{},{},{},", csv_text(item.finish_reason), csv_text(item.error_class),
                    number_field(item.first_token_ms), number_field(item.usage.input_tokens),
                    number_field(item.usage.output_tokens),
                    item.usage.is_unpriced() ? "unknown" : number_field(item.usage.cost));
    return line + fmt::format("{},{}\r\n", csv_text(item.prompt), csv_text(item.answer));
  }
  std::string head(const ReportTally&) override {
    return "request_id,command,state,attempts,latency_ms,queued_ms,run_ms,error_code,"
           "error_message,submitted_at,finished_at,batch,item,prompt_name,provider,model,repeat,"
           "outcome,score,passed,grades,finish_reason,error_class,first_token_ms,input_tokens,"
           "output_tokens,cost,prompt,answer\r\n";
  }
  std::string tail(const ReportTally&) override { return {}; }
};

}  // namespace

std::unique_ptr<ReportFormat> csv_format() { return std::make_unique<CsvFormat>(); }

}  // namespace filecall::client
