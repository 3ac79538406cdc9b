// SPDX-License-Identifier: MIT
#include "client/eval/spec.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "client/core/digest.h"
#include "client/eval/grader_sections.h"
#include "client/eval/judge_sections.h"
#include "yaml/yaml_section.h"

namespace filecall::client {
namespace {

constexpr std::size_t kNameBytesMax = 200;
/// Becomes part of every digest: to be raised when a grader's judgement changes.
constexpr int kGradersVersion = 5;
/// What a grade does not depend on.
constexpr const char* kOutsideDigest[] = {"name",      "description",    "select",
                                          "min_score", "max_error_rate", "pairwise"};
/// What a grader's own grades do not depend on.
constexpr const char* kOutsideGrader[] = {"name", "weight", "when", "unless"};

void read_share(YamlSection& section, std::string_view key, std::optional<double>& out) {
  if (!section.has(key)) return;
  double value = 0;
  section.read_number(key, 0, 1, value);
  out = value;
}

void read_selection(YamlSection& section, Selection& selection) {
  section.read("command", selection.command);
  section.read("ids", selection.ids);
  section.read("batch", selection.batch);
  if (section.has("metadata")) {
    selection.metadata = section.read_json("metadata");
    if (!selection.metadata.is_object()) {
      section.complain("metadata", "must be a mapping: each member equals the request's");
      selection.metadata = Json::object();
    }
  }
}

constexpr std::pair<const char*, EvaluationOutcome> kWithoutGrade[] = {
    {"errors", EvaluationOutcome::kError},
    {"refusals", EvaluationOutcome::kRefusal},
    {"truncated", EvaluationOutcome::kTruncated},
    {"schema_invalid", EvaluationOutcome::kSchemaInvalid},
    {"ungraded", EvaluationOutcome::kUngraded}};

void read_zeros(YamlSection& section, std::set<EvaluationOutcome>& zeros) {
  for (const auto& [name, outcome] : kWithoutGrade) {
    const auto choice = section.read_choice(name, {"zero", "exclude"});
    if (!choice) continue;
    if (*choice == "zero") {
      zeros.insert(outcome);
    } else {
      zeros.erase(outcome);
    }
  }
}

void read_graders(YamlSection& top, GraderReading& reading, EvalSpec& spec) {
  std::set<std::string> names;
  top.each_item("graders", [&](YamlSection& section) {
    auto grader = read_grader(section, reading);
    if (grader == nullptr) return;
    const std::string& name = grader->settings().name;
    if (!names.insert(name).second) {
      section.complain("name", fmt::format("two graders are called '{}'", name));
    }
    const auto note_column = [&](const char* key, std::string column, bool is_label) {
      spec.columns.push_back(
          {fmt::format("grader '{}': {}", name, key), std::move(column), is_label});
    };
    const bool has_expected = section.knows("expected_var") && section.has("expected_var");
    if (std::string column; has_expected) {
      section.read("expected_var", column);
      note_column("expected_var", std::move(column), false);
    }
    for (const std::string& column : std::exchange(reading.template_columns, {})) {
      note_column("template", column, false);
    }
    const RowCondition& rows = grader->settings().rows;
    for (const RowCondition::Part& part : rows.when) note_column("when", part.column, true);
    for (const RowCondition::Part& part : rows.unless) note_column("unless", part.column, true);
    spec.graders.push_back(std::move(grader));
  });
  if (!top.has("graders") && !top.has("pairwise")) {
    top.complain("graders", "is missing: a list of graders");
  }
}

std::string digest_of_spec(Json document, const GraderReading& reading) {
  for (const char* key : kOutsideDigest) document.erase(key);
  document["files"] = reading.files;
  document["version"] = kGradersVersion;
  return digest_of(dump_json(document));
}

/// Too much rather than too little: all judges of a judge, all files.
std::vector<std::string> digests_of_graders(const Json& document, const GraderReading& reading) {
  std::vector<std::string> digests;
  if (!document.contains("graders")) return digests;
  for (Json grader : document["graders"]) {
    for (const char* key : kOutsideGrader) grader.erase(key);
    Json depends = {{"grader", grader}, {"files", reading.files}, {"version", kGradersVersion}};
    if (document.contains("answer")) depends["answer"] = document["answer"];
    if (grader["kind"] == "judge" && document.contains("judges"))
      depends["judges"] = document["judges"];
    digests.push_back(digest_of(dump_json(depends)));
  }
  return digests;
}

}  // namespace

std::string zeros_text(const EvalSpec& spec) {
  std::string zero;
  std::string left_out;
  for (const auto& [name, outcome] : kWithoutGrade) {
    std::string& list = spec.zeros.contains(outcome) ? zero : left_out;
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  return fmt::format("Count as 0: {}. Left out: {}.", zero.empty() ? "none" : zero,
                     left_out.empty() ? "none" : left_out);
}

Result<EvalSpec> read_eval_spec(const std::string& yaml, const std::string& file_name,
                                const SpecFileReader& read_file) {
  std::vector<std::string> complaints;
  TRY_ASSIGN(YamlSection top, YamlSection::parse(yaml, file_name, complaints));
  EvalSpec spec;
  GraderReading reading;
  reading.read_file = read_file;
  top.read("name", spec.name);
  if (spec.name.empty() || spec.name.size() > kNameBytesMax) {
    top.complain("name", "must be a text of 1 to 200 bytes: it names the grades");
  }
  top.read("description", spec.description);
  top.section("select", [&](YamlSection& s) { read_selection(s, spec.selection); });
  read_pointer(top, "answer", reading.answer);
  top.read("grade_refusals", spec.grades_refusals);
  top.read("grade_truncated", spec.grades_truncated);
  top.section("outcomes", [&](YamlSection& s) { read_zeros(s, spec.zeros); });
  read_share(top, "threshold", spec.threshold);
  read_share(top, "min_score", spec.min_score);
  read_share(top, "max_error_rate", spec.max_error_rate);
  read_judges(top, reading);
  top.read("graders_var", spec.graders_var);
  if (!spec.graders_var.empty()) spec.columns.push_back({"graders_var", spec.graders_var, true});
  read_graders(top, reading, spec);
  spec.pairwise = read_pairwise(top, reading);
  top.finish();
  if (complaints.empty() && spec.graders.empty() && !spec.pairwise)
    top.complain("graders", "is empty");
  if (!complaints.empty()) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}", fmt::join(complaints, "\n")));
  }
  const Json document = top.take_all();
  spec.grader_digests = digests_of_graders(document, reading);
  spec.digest = digest_of_spec(document, reading);
  if (spec.pairwise) {
    Json depends = {{"pairwise", document["pairwise"]}, {"files", reading.files}};
    for (const char* key : {"answer", "judges"}) {
      if (document.contains(key)) depends[key] = document[key];
    }
    spec.pairwise->digest = digest_of(dump_json(depends));
  }
  spec.prompt_digests = std::move(reading.prompt_digests);
  spec.judges = std::move(reading.asked_judges);
  return spec;
}

}  // namespace filecall::client
