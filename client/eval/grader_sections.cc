// SPDX-License-Identifier: MIT
#include "client/eval/grader_sections.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "client/eval/call_graders.h"
#include "client/eval/json_graders.h"
#include "client/eval/judge_sections.h"
#include "client/eval/text_graders.h"
#include "client/eval/tool_grader.h"
#include "client/eval/turn_sections.h"
#include "ipc/schema_catalog.h"

namespace filecall::client {
namespace {

constexpr double kWeightMax = 1e6;
constexpr double kToleranceMax = 1e300;
constexpr double kCostMaxUsd = 1e9;

/// Complains about a null among texts: `expected:` with nothing behind it is no text.
Expectation read_expected_texts(YamlSection& section, bool is_required, Empty empty) {
  Expectation expected = read_expectation(section, is_required, empty);
  const Json& value = expected.literal;
  const auto is_bad = [&](const Json& one) {
    return one.is_null() || (empty == Empty::kNever && one == "");
  };
  const bool has_bad =
      value.is_array() ? std::any_of(value.begin(), value.end(), is_bad) : is_bad(value);
  if (expected.source == Expectation::Source::kLiteral && has_bad) {
    section.complain("expected", empty == Empty::kNever
                                     ? "is empty: an empty text stands in every text"
                                     : "has no value; an empty text is \"\"");
  }
  return expected;
}

std::optional<Pattern> read_pattern(YamlSection& section, std::string_view key,
                                    const Pattern::Options& options) {
  std::string expression;
  section.read(key, expression);
  if (!section.has(key)) return std::nullopt;
  auto pattern = Pattern::compile(expression, options);
  if (pattern) return std::move(*pattern);
  section.complain(key, pattern.error().message);
  return std::nullopt;
}

TextTarget read_target(YamlSection& section) {
  TextTarget target;
  section.read("trim", target.form.trim);
  section.read("ignore_case", target.form.ignore_case);
  if (const auto space = section.read_choice("whitespace", {"keep", "collapse"})) {
    target.form.one_space = *space == "collapse";
  }
  target.extract = read_pattern(section, "extract", {.ignore_case = target.form.ignore_case});
  if (const auto take = section.read_choice("take", {"first", "last"})) {
    target.takes_last = *take == "last";
  }
  return target;
}

std::unique_ptr<Grader> read_exact(YamlSection& section, GraderSettings settings) {
  TextTarget target = read_target(section);
  return make_exact_grader(std::move(settings), std::move(target),
                           read_expected_texts(section, true, Empty::kMayBeAllowed));
}

std::unique_ptr<Grader> read_contains(YamlSection& section, GraderSettings settings) {
  TextTarget target = read_target(section);
  ContainsRule rule;
  bool has_list = false;
  for (const auto& [key, list] :
       {std::pair("any", &rule.any), std::pair("all", &rule.all), std::pair("none", &rule.none)}) {
    section.read(key, *list);
    has_list = has_list || section.has(key);
    const bool has_empty = std::any_of(list->begin(), list->end(),
                                       [](const std::string& text) { return text.empty(); });
    if (has_empty) section.complain(key, "an empty text stands in every text");
  }
  rule.expected = read_expected_texts(section, !has_list, Empty::kNever);
  return make_contains_grader(std::move(settings), std::move(target), std::move(rule));
}

std::unique_ptr<Grader> read_regex(YamlSection& section, GraderSettings settings) {
  TextTarget target = read_target(section);
  bool dot_is_any = false;
  bool is_multi_line = false;
  section.read("dot_all", dot_is_any);
  section.read("multiline", is_multi_line);
  // The expression ignores case, so that the text can stay as it is.
  auto pattern = read_pattern(section, "pattern",
                              {.ignore_case = std::exchange(target.form.ignore_case, false),
                               .dot_is_any = dot_is_any,
                               .is_multi_line = is_multi_line});
  bool is_full = false;
  bool is_forbidden = false;
  section.read("full", is_full);
  section.read("negate", is_forbidden);
  std::string expression;
  section.read("pattern", expression);
  if (!section.has("pattern")) {
    section.complain("pattern", "is missing: a regular expression");
  } else if (!is_full && expression.empty()) {
    section.complain("pattern",
                     "an empty expression matches every text; with full: true, the "
                     "empty text alone");
  }
  if (!pattern) return nullptr;
  return make_regex_grader(std::move(settings), std::move(target),
                           {std::move(*pattern), is_full, is_forbidden});
}

std::unique_ptr<Grader> read_numeric(YamlSection& section, GraderSettings settings) {
  TextTarget target = read_target(section);
  NumericRule rule;
  rule.takes_last = target.takes_last;
  section.read_number("absolute", 0, kToleranceMax, rule.absolute);
  section.read_number("relative", 0, kToleranceMax, rule.relative);
  rule.expected = read_expectation(section, true, Empty::kNever);
  return make_numeric_grader(std::move(settings), std::move(target), std::move(rule));
}

std::unique_ptr<Grader> read_similarity(YamlSection& section, GraderSettings settings) {
  TextTarget target = read_target(section);
  const auto metric = section.read_choice("metric", {"edit", "token_f1"});
  if (!section.has("metric")) section.complain("metric", "is missing: edit or token_f1");
  const auto kind = metric == "edit" ? SimilarityMetric::kEdit : SimilarityMetric::kTokenF1;
  return make_similarity_grader(std::move(settings), std::move(target), kind,
                                read_expected_texts(section, true, Empty::kMayBeAllowed));
}

std::unique_ptr<Grader> read_json_schema(YamlSection& section, GraderSettings settings,
                                         GraderReading& reading) {
  Json schema;
  if (section.has("schema_file")) {
    schema = Json::parse(read_text_or_file(section, "schema", reading), nullptr, false);
    if (schema.is_discarded()) section.complain("schema_file", "is not JSON");
  } else {
    schema = section.read_json("schema");
    if (!section.has("schema")) section.complain("schema", "is missing: a JSON Schema (draft-07)");
  }
  if (!schema.is_object()) return nullptr;
  auto compiled = SchemaValidator::compile(schema);
  if (!compiled) {
    section.complain(section.has("schema") ? "schema" : "schema_file", compiled.error().message);
    return nullptr;
  }
  return make_json_schema_grader(std::move(settings), std::move(*compiled));
}

std::unique_ptr<Grader> read_json_equal(YamlSection& section, GraderSettings settings) {
  std::string pointer;
  read_pointer(section, "pointer", pointer);
  return make_json_equal_grader(std::move(settings), pointer,
                                read_expectation(section, true, Empty::kMayBeAllowed));
}

std::unique_ptr<Grader> read_tool(YamlSection& section, GraderSettings settings) {
  ToolRule rule;
  rule.params = Json::object();
  for (const char* key : {"argv", "tool", "args", "env", "cwd"}) {
    if (section.has(key)) rule.params[key] = section.read_json(key);
  }
  if (section.has("argv")) {  // Numbers among the arguments are meant as they are written.
    std::vector<std::string> words;
    section.read("argv", words);
    rule.params["argv"] = words;
  }
  if (section.has("timeout")) {
    Duration timeout = seconds(0);
    section.read("timeout", timeout);
    rule.params["timeout_ms"] = to_ms(timeout);
  }
  if (const auto verdict = section.read_choice("verdict", {"exit", "json"})) {
    rule.prints_json = *verdict == "json";
  }
  rule.expected = read_expectation(section, false, Empty::kMayBeAllowed);
  check_params(section, section.has("argv") ? "argv" : "tool", "tool.run", rule.params);
  return make_tool_grader(std::move(settings), std::move(rule));
}

void complain_of_answer(YamlSection& section) {
  if (section.has("answer")) section.complain("answer", "has no meaning: a call is looked at");
}

std::unique_ptr<Grader> read_latency(YamlSection& section, GraderSettings settings) {
  Duration max{};
  section.read("max", max);
  if (max <= Duration::zero()) section.complain("max", "give a time above 0, e.g. 2s or 800ms");
  complain_of_answer(section);
  return make_latency_grader(std::move(settings), max);
}

std::unique_ptr<Grader> read_cost(YamlSection& section, GraderSettings settings) {
  double max_usd = 0;
  section.read_number("max", 0, kCostMaxUsd, max_usd);
  if (max_usd <= 0) section.complain("max", "give US dollars above 0, e.g. 0.002");
  complain_of_answer(section);
  return make_cost_grader(std::move(settings), max_usd);
}

double default_threshold(const std::string& kind) {
  if (kind == "similarity") return 0.8;
  return kind == "judge" || kind == "tool" ? 0.5 : 1;
}

std::unique_ptr<Grader> read_of_kind(YamlSection& section, GraderSettings settings,
                                     GraderReading& reading) {
  const std::string kind = settings.kind;
  if (kind == "exact") return read_exact(section, std::move(settings));
  if (kind == "contains") return read_contains(section, std::move(settings));
  if (kind == "regex") return read_regex(section, std::move(settings));
  if (kind == "numeric") return read_numeric(section, std::move(settings));
  if (kind == "similarity") return read_similarity(section, std::move(settings));
  if (kind == "json_schema") return read_json_schema(section, std::move(settings), reading);
  if (kind == "json_equal") return read_json_equal(section, std::move(settings));
  if (kind == "tool") return read_tool(section, std::move(settings));
  if (kind == "tool_called") return read_tool_called(section, std::move(settings));
  if (kind == "latency") return read_latency(section, std::move(settings));
  if (kind == "cost") return read_cost(section, std::move(settings));
  return read_judge(section, std::move(settings), reading);
}

/// NAME of "{{NAME}}", which is a place in prompts and no value; else empty.
std::string column_in_braces(const Json& value) {
  if (!value.is_string()) return {};
  std::string_view text = value.get_ref<const std::string&>();
  if (!text.starts_with("{{") || !text.ends_with("}}") || text.size() < 5) return {};
  text = text.substr(2, text.size() - 4);
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const bool is_name = text.find_first_of("{}\" \n") == std::string_view::npos;
  return is_name ? std::string(text) : std::string();
}

}  // namespace

Expectation read_expectation(YamlSection& section, bool is_required, Empty empty) {
  Expectation expected;
  int given = 0;
  if (section.has("expected")) {
    ++given;
    expected.source = Expectation::Source::kLiteral;
    expected.literal = section.read_json("expected");
    if (const std::string column = column_in_braces(expected.literal); !column.empty()) {
      section.complain("expected",
                       fmt::format("is compared as it stands; for the column of the row "
                                   "say expected_var: {}",
                                   column));
    }
  }
  if (section.has("expected_var")) {
    ++given;
    expected.source = Expectation::Source::kVariable;
    section.read("expected_var", expected.where);
  }
  if (section.has("expected_at")) {
    ++given;
    expected.source = Expectation::Source::kRequest;
    read_pointer(section, "expected_at", expected.where);
  }
  if (given > 1 || (given == 0 && is_required)) {
    section.complain("expected",
                     "give one of: expected (the value), expected_var (a column of the row that "
                     "the request was made from), expected_at (a JSON pointer into the request)");
  }
  if (empty == Empty::kMayBeAllowed) section.read("allow_empty", expected.may_be_empty);
  return expected;
}

std::string read_text_or_file(YamlSection& section, const std::string& key,
                              GraderReading& reading) {
  std::string text;
  section.read(key, text);
  const std::string file_key = key + "_file";
  if (!section.has(file_key)) return text;
  std::string path;
  section.read(file_key, path);
  if (section.has(key)) section.complain(file_key, fmt::format("excludes {}", key));
  auto bytes = reading.read_file(path);
  if (!bytes) {
    section.complain(file_key, bytes.error().message);
    return text;
  }
  reading.files[path] = *bytes;
  return std::move(*bytes);
}

void check_params(YamlSection& section, std::string_view key, std::string_view command,
                  const Json& params) {
  const auto text = find_schema(fmt::format("command.{}", command));
  CHECK(text.has_value(), "graders ask commands of ours");
  const auto schema = SchemaValidator::compile(*text);
  CHECK(schema.has_value(), "the schemas of commands are schemas");
  if (const auto violation = schema->check(params)) {
    section.complain(key, fmt::format("{}: {}", violation->pointer, violation->rule));
  }
}

void read_pointer(YamlSection& section, std::string_view key, std::string& out) {
  section.read(key, out);
  if (!is_json_pointer(out)) {
    section.complain(key, "must be a JSON pointer, e.g. /params/messages/0/content");
    out.clear();
  }
}

std::unique_ptr<Grader> read_grader(YamlSection& section, GraderReading& reading) {
  const auto kind = section.read_choice(
      "kind", {"exact", "contains", "regex", "numeric", "json_schema", "json_equal", "similarity",
               "tool", "tool_called", "latency", "cost", "judge"});
  if (!kind) {
    if (!section.has("kind")) section.complain("kind", "is missing");
    section.take_all();
    return nullptr;
  }
  GraderSettings settings;
  settings.kind = *kind;
  settings.name = *kind;
  section.read("name", settings.name);
  section.read_number("weight", 0, kWeightMax, settings.weight);
  if (settings.weight <= 0) section.complain("weight", "must be above 0");
  settings.threshold = default_threshold(*kind);
  section.read_number("threshold", 0, 1, settings.threshold);
  settings.at = reading.answer;
  read_pointer(section, "answer", settings.at);
  settings.rows = read_row_condition(section);
  // An expression that must not match has always been a kind of its own.
  if (*kind != "regex") section.read("negate", settings.is_negated);
  read_turn(section, settings.turn);
  return read_of_kind(section, std::move(settings), reading);
}

}  // namespace filecall::client
