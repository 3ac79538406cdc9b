// SPDX-License-Identifier: MIT
#include "client/report/items/saved_report.h"

#include <fmt/core.h>

#include <utility>

#include "client/report/items/item_text.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

/// Beyond this the report's root is the better source.
constexpr std::size_t kReportBytesMax = std::size_t{4} << 30;
/// {"items": [{...}]}: where an item is a whole object.
constexpr int kItemDepth = 2;

std::int64_t integer_member(const Json& json, const char* name, std::int64_t fallback) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : fallback;
}

std::optional<std::int64_t> optional_count(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

std::optional<double> optional_number(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::optional<bool> optional_flag(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_boolean()) return std::nullopt;
  return found->get<bool>();
}

Evaluation parse_grades(const Json& json) {
  Evaluation evaluation;
  evaluation.outcome = EvaluationOutcome::kGraded;
  evaluation.counts_as_zero = text_member(json, "counts_as") == "zero";
  evaluation.score = optional_number(json, "score");
  evaluation.passed = optional_flag(json, "passed");
  evaluation.reason = text_member(json, "reason");
  const auto grades = json.find("grades");
  if (grades == json.end() || !grades->is_array()) return evaluation;
  for (const Json& grade : *grades) {
    if (!grade.is_object()) continue;
    Grade& out = evaluation.grades.emplace_back();
    out.name = text_member(grade, "name");
    out.kind = text_member(grade, "kind");
    out.score = optional_number(grade, "score");
    out.passed = optional_flag(grade, "passed");
    out.reason = text_member(grade, "reason");
  }
  return evaluation;
}

class SavedReport final : public ItemSource {
 public:
  SavedReport(std::string path, ItemFilter filter, const Json& head)
      : path_(std::move(path)),
        filter_(std::move(filter)),
        evaluation_(text_member(head, "evaluation")) {
    const auto digests = head.find("spec_digests");
    if (digests == head.end() || !digests->is_array()) return;
    for (const Json& digest : *digests) {
      if (digest.is_string()) spec_digests_.push_back(digest.get<std::string>());
    }
  }

  std::string name() const override { return path_; }
  std::string evaluation() const override { return evaluation_; }
  std::vector<std::string> spec_digests() const override { return spec_digests_; }

  Result<void> each(const std::function<void(const ReportItem&)>& visit) override {
    TRY_ASSIGN(const std::string text, read_named_file(path_, kReportBytesMax));
    // A callback that returns false drops what was just read: only one item is there at a time.
    bool is_in_items = false;
    const auto take = [&](int depth, Json::parse_event_t event, Json& value) {
      if (depth == 1 && event == Json::parse_event_t::key) is_in_items = value == "items";
      const bool is_item =
          is_in_items && depth == kItemDepth && event == Json::parse_event_t::object_end;
      if (is_item) {
        const ReportItem item = parse_item_json(value);
        const std::string& batch = filter_.choice.batch;
        const bool is_of_batch = batch.empty() || batch == item.batch;
        if (is_of_batch && fits_filter(item, filter_)) visit(item);
      }
      return !is_item;
    };
    const Json rest = Json::parse(text, take, false);
    if (!rest.is_discarded()) return {};
    return fail(ErrorCode::kInvalidArgument, path_ + ": is not a JSON text");
  }

 private:
  std::string path_;
  ItemFilter filter_;
  std::string evaluation_;
  std::vector<std::string> spec_digests_;
};

/// The members before the items, as one object: a report may be gigabytes of items.
Result<Json> read_head(const std::string& path) {
  TRY_ASSIGN(const std::string text, read_named_file(path, kReportBytesMax));
  bool is_in_items = false;
  const auto take = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth == 1 && event == Json::parse_event_t::key) is_in_items = value == "items";
    return !(is_in_items && depth >= kItemDepth);
  };
  Json head = Json::parse(text, take, false);
  if (head.is_discarded() || text_member(head, "format") != "filecall-report") {
    return fail(ErrorCode::kInvalidArgument,
                path + ": is not a report; 'filecall report --format json' writes one");
  }
  return head;
}

}  // namespace

ReportItem parse_item_json(const Json& json) {
  ReportItem item;
  if (!json.is_object()) return item;
  item.request_id = text_member(json, "request_id");
  if (const auto turns = json.find("turns"); turns != json.end() && turns->is_array()) {
    item.turns = *turns;
  }
  if (const auto vars = json.find("vars"); vars != json.end() && vars->is_object()) {
    item.vars = *vars;
  }
  item.command = text_member(json, "command");
  item.batch = text_member(json, "batch");
  item.state = parse_request_state(text_member(json, "state")).value_or(RequestState::kNew);
  item.attempts = static_cast<int>(integer_member(json, "attempts", 0));
  item.submitted_at = parse_rfc3339(text_member(json, "submitted_at")).value_or(WallTime{});
  item.finished_at = parse_rfc3339(text_member(json, "finished_at")).value_or(WallTime{});
  item.latency_ms = integer_member(json, "latency_ms", 0);
  item.queued_ms = integer_member(json, "queued_ms", 0);
  item.run_ms = integer_member(json, "run_ms", 0);
  item.first_token_ms = optional_count(json, "first_token_ms");
  item.item = text_member(json, "item");
  item.prompt_name = text_member(json, "prompt_name");
  item.provider = text_member(json, "provider");
  item.model = text_member(json, "model");
  item.repeat = integer_member(json, "repeat", 1);
  item.prompt = text_member(json, "prompt");
  item.answer = text_member(json, "answer");
  item.finish_reason = text_member(json, "finish_reason");
  item.error_code = parse_error_code(text_member(json, "error_code"));
  item.error_class = text_member(json, "error_class");
  item.error_message = text_member(json, "error_message");
  item.is_cached = json.value("cached", Json()) == true;
  item.usage.input_tokens = optional_count(json, "input_tokens");
  item.usage.output_tokens = optional_count(json, "output_tokens");
  item.usage.cached_input_tokens = optional_count(json, "cached_input_tokens");
  item.usage.reasoning_tokens = optional_count(json, "reasoning_tokens");
  item.usage.cost = optional_number(json, "cost");
  item.usage.is_of_model = json.contains("cost");
  item.outcome = parse_item_outcome(text_member(json, "outcome")).value_or(ItemOutcome::kPending);
  Evaluation evaluation = parse_grades(json);
  const bool is_graded = item.outcome == ItemOutcome::kGraded;
  // A graded item without a score cannot be: it is taken for what it says less of.
  if (is_graded && !evaluation.score) item.outcome = ItemOutcome::kUngraded;
  const bool says_something =
      evaluation.counts_as_zero || !evaluation.reason.empty() || !evaluation.grades.empty();
  if (is_graded || says_something) item.evaluation = std::move(evaluation);
  item.awaits_grade = item.outcome == ItemOutcome::kAnswered;
  return item;
}

Result<std::unique_ptr<ItemSource>> open_saved_report(const std::string& path, ItemFilter filter) {
  TRY_ASSIGN(const Json head, read_head(path));
  const std::string evaluation = text_member(head, "evaluation");
  const std::string run = text_member(head, "run_id");
  if (!filter.choice.run.empty() && filter.choice.run != run) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: is a report of {}", path, run.empty() ? "no run" : "run " + run));
  }
  if (!filter.evaluation.empty() && filter.evaluation != evaluation) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: is a report of the evaluation '{}'", path, evaluation));
  }
  return std::unique_ptr<ItemSource>(std::make_unique<SavedReport>(path, std::move(filter), head));
}

}  // namespace filecall::client
