// SPDX-License-Identifier: MIT
#include "client/eval/evaluation.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "base/result.h"
#include "base/stem.h"
#include "client/core/digest.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"

namespace filecall::client {
namespace {

constexpr std::string_view kOutcomeNames[] = {"graded",  "ungraded",  "error",
                                              "refusal", "truncated", "schema_invalid"};
static_assert(std::size(kOutcomeNames) == kEvaluationOutcomeCount);

Json number_or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json flag_or_null(const std::optional<bool>& flag) { return flag ? Json(*flag) : Json(); }

Json grade_json(const Grade& grade) {
  Json out = {{"name", grade.name},
              {"kind", grade.kind},
              {"score", number_or_null(grade.score)},
              {"passed", flag_or_null(grade.passed)},
              {"weight", grade.weight},
              {"reason", grade.reason}};
  if (grade.details.is_object()) out["details"] = grade.details;
  if (!grade.expected.empty()) out["expected"] = grade.expected;
  if (!grade.grader_digest.empty()) out["grader_digest"] = grade.grader_digest;
  if (grade.lacks_reply) out["lacks_reply"] = true;
  return out;
}

Json evaluation_json(const Evaluation& evaluation) {
  Json out = {{"spec_digest", evaluation.spec_digest},
              {"response_digest", evaluation.response_digest},
              {"evaluated_at", format_rfc3339(evaluation.evaluated_at)},
              {"item", evaluation.item},
              {"repeat", evaluation.repeat},
              {"outcome", to_string(evaluation.outcome)},
              {"score", number_or_null(evaluation.score)},
              {"passed", flag_or_null(evaluation.passed)},
              {"grades", Json::array()}};
  if (!evaluation.prompt.empty()) out["prompt"] = evaluation.prompt;
  if (!evaluation.provider.empty()) out["provider"] = evaluation.provider;
  if (!evaluation.model.empty()) out["model"] = evaluation.model;
  if (evaluation.counts_as_zero) out["counts_as"] = "zero";
  if (!evaluation.reason.empty()) out["reason"] = evaluation.reason;
  if (!evaluation.metadata_digest.empty()) out["metadata_digest"] = evaluation.metadata_digest;
  for (const Grade& grade : evaluation.grades) out["grades"].push_back(grade_json(grade));
  return out;
}

/// Reads the members of one object; keeps the first rule that is broken, with its pointer.
class MemberReader {
 public:
  MemberReader(const Json& object, std::string pointer)
      : object_(object), pointer_(std::move(pointer)) {}

  std::string text(const char* name, bool is_required) {
    const Json* member = find(name);
    if (member == nullptr) return is_required ? refuse(name, "is missing") : std::string();
    const auto* text = member->get_ptr<const std::string*>();
    return text == nullptr ? refuse(name, "must be a string") : *text;
  }
  std::optional<double> score() {
    const Json* member = find("score");
    if (member == nullptr || member->is_null()) return std::nullopt;
    const double score = member->is_number() ? member->get<double>() : -1;
    if (score >= 0 && score <= 1) return score;
    refuse("score", "must be a number from 0 to 1, or null");
    return std::nullopt;
  }
  std::optional<bool> passed() {
    const Json* member = find("passed");
    if (member == nullptr || member->is_null()) return std::nullopt;
    if (!member->is_boolean()) refuse("passed", "must be true, false or null");
    return member->is_boolean() && member->get<bool>();
  }
  std::int64_t repeat() {
    const Json* member = find("repeat");
    if (member == nullptr) return 1;
    const std::int64_t repeat = member->is_number_integer() ? member->get<std::int64_t>() : 0;
    if (repeat < 1) refuse("repeat", "must be an integer from 1");
    return repeat;
  }
  double weight() {
    const Json* member = find("weight");
    if (member == nullptr) return 1;
    const double weight = member->is_number() ? member->get<double>() : 0;
    if (!(weight > 0)) refuse("weight", "must be a number above 0");
    return weight;
  }
  const Json* find(const char* name) const {
    const auto member = object_.find(name);
    return member == object_.end() ? nullptr : &*member;
  }
  std::string refuse(std::string_view name, std::string_view rule) {
    if (fault_.empty()) fault_ = fmt::format("{}/{}: {}", pointer_, name, rule);
    return {};
  }
  const std::string& fault() const { return fault_; }

 private:
  const Json& object_;
  std::string pointer_;
  std::string fault_;
};

/// Empty: good.
std::string read_grade(const Json& json, const std::string& pointer, Grade& grade) {
  if (!json.is_object()) return pointer + ": must be an object";
  MemberReader reader(json, pointer);
  grade.name = reader.text("name", true);
  grade.kind = reader.text("kind", true);
  grade.score = reader.score();
  grade.passed = reader.passed();
  grade.weight = reader.weight();
  grade.reason = reader.text("reason", false);
  grade.expected = reader.text("expected", false);
  grade.grader_digest = reader.text("grader_digest", false);
  grade.lacks_reply = !grade.score && json.value("lacks_reply", Json()) == true;
  if (const Json* details = reader.find("details"); details != nullptr && details->is_object()) {
    grade.details = *details;
  }
  if (grade.score.has_value() != grade.passed.has_value()) {
    reader.refuse("passed", "must be null exactly when score is");
  }
  return reader.fault();
}

std::string read_evaluation(const Json& json, const std::string& pointer, Evaluation& out) {
  if (!json.is_object()) return pointer + ": must be an object";
  MemberReader reader(json, pointer);
  out.spec_digest = reader.text("spec_digest", true);
  out.response_digest = reader.text("response_digest", true);
  out.metadata_digest = reader.text("metadata_digest", false);
  out.item = reader.text("item", true);
  out.prompt = reader.text("prompt", false);
  out.provider = reader.text("provider", false);
  out.model = reader.text("model", false);
  out.repeat = reader.repeat();
  const auto time = parse_rfc3339(reader.text("evaluated_at", true));
  if (!time) reader.refuse("evaluated_at", "must be a time as in RFC 3339");
  out.evaluated_at = time.value_or(WallTime{});
  const auto outcome = parse_evaluation_outcome(reader.text("outcome", true));
  if (!outcome) {
    reader.refuse("outcome",
                  "must be one of graded, ungraded, error, refusal, truncated, schema_invalid");
  }
  out.outcome = outcome.value_or(EvaluationOutcome::kUngraded);
  out.score = reader.score();
  out.passed = reader.passed();
  out.counts_as_zero = reader.text("counts_as", false) == "zero";
  out.reason = reader.text("reason", false);
  const bool is_graded = out.outcome == EvaluationOutcome::kGraded;
  if (out.score.has_value() != is_graded) {
    reader.refuse("score", "must be there exactly when outcome is graded");
  }
  if (out.passed.has_value() != is_graded) {
    reader.refuse("passed", "must be there exactly when outcome is graded");
  }
  if (!reader.fault().empty()) return reader.fault();
  const Json* grades = reader.find("grades");
  if (grades == nullptr || !grades->is_array()) return pointer + "/grades: must be an array";
  for (const Json& grade : *grades) {
    const std::string at = fmt::format("{}/grades/{}", pointer, out.grades.size());
    if (std::string fault = read_grade(grade, at, out.grades.emplace_back()); !fault.empty()) {
      return fault;
    }
  }
  return {};
}

Unexpected<Error> broken_record(std::string_view stem, std::string_view rule) {
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("evaluation of {}: {}", excerpt(stem, kStemBytesMax), rule));
}

Result<Json> parse_tree(std::string_view bytes, std::string_view stem) {
  auto parsed = parse_strict(bytes, limits::kDepthMax, Strictness::kForeign, "evaluation");
  if (!parsed) {
    return broken_record(stem, parsed.error().message);
  }
  return *std::move(parsed);
}

/// `stem` empty: any request's.
Result<EvaluationRecord> read_record(const Json& root, std::string_view stem) {
  if (!root.is_object()) return broken_record(stem, "must be a JSON object");
  EvaluationRecord record;
  MemberReader reader(root, "");
  record.request_id = reader.text("request_id", true);
  if (!reader.fault().empty()) return broken_record(stem, reader.fault());
  if (stem.empty() && !is_valid_stem(record.request_id)) {
    return broken_record(stem, "/request_id: names no request");
  }
  if (!stem.empty() && record.request_id != stem) {
    return broken_record(stem, "/request_id: is another request's");
  }
  const Json* evaluations = reader.find("evaluations");
  if (evaluations == nullptr || !evaluations->is_object()) {
    return broken_record(stem, "/evaluations: must be an object");
  }
  for (const auto& [name, json] : evaluations->items()) {
    const std::string pointer = "/evaluations" + pointer_token(name);
    const std::string fault = read_evaluation(json, pointer, record.evaluations[name]);
    if (!fault.empty()) return broken_record(stem, fault);
  }
  return record;
}

}  // namespace

std::string metadata_digest_of(const Json& metadata) {
  return metadata.is_null() ? std::string() : digest_of(dump_json(metadata));
}

bool Evaluation::is_of_metadata(const Json& now, const Json& own) const {
  return metadata_digest.empty() ? now == own : metadata_digest == metadata_digest_of(now);
}

std::string_view to_string(EvaluationOutcome outcome) {
  return kOutcomeNames[static_cast<int>(outcome)];
}

std::optional<EvaluationOutcome> parse_evaluation_outcome(std::string_view name) {
  for (int i = 0; i < kEvaluationOutcomeCount; ++i) {
    if (kOutcomeNames[i] == name) return static_cast<EvaluationOutcome>(i);
  }
  return std::nullopt;
}

Result<EvaluationRecord> parse_evaluation_record(std::string_view bytes, std::string_view stem) {
  TRY_ASSIGN(const Json root, parse_tree(bytes, stem));
  return read_record(root, stem);
}

Result<EvaluationRecord> parse_evaluation_line(std::string_view bytes) {
  return parse_evaluation_record(bytes, "");
}

std::string render_evaluation_record(const EvaluationRecord& record) {
  Json root = {{"request_id", record.request_id}, {"evaluations", Json::object()}};
  for (const auto& [name, evaluation] : record.evaluations) {
    root["evaluations"][name] = evaluation_json(evaluation);
  }
  return dump_json(root) + "\n";
}

}  // namespace filecall::client
