// SPDX-License-Identifier: MIT
#include "client/promptfoo/foreign_assertion.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "client/eval/pattern.h"
#include "client/promptfoo/list_text.h"
#include "client/promptfoo/nunjucks.h"
#include "client/promptfoo/outer_blanks.h"
#include "ipc/json_text.h"
#include "ipc/schema_validator.h"

namespace filecall::client {
namespace {

constexpr std::string_view kNot = "not-";
constexpr const char* kFence = "JSON in a code fence fits, too; there only the bare text does";

/// Why types have no grader here. "*": all others.
const std::map<std::string, const char*, std::less<>> kWhyNot = {
    {"javascript", "is a program; write one that reads standard input, with kind: tool"},
    {"python", "is a program; write one that reads standard input, with kind: tool"},
    {"ruby", "is a program; write one that reads standard input, with kind: tool"},
    {"webhook", "is a program elsewhere; write one that reads standard input, with kind: tool"},
    {"similar", "needs embeddings; kind: similarity compares by edits or words"},
    {"levenshtein", "has a limit in edits; kind: similarity, metric: edit has a share of the text"},
    {"contains-json", "looks for JSON within a text; is-json is there"},
    {"model-graded-closedqa", "has instructions of its own; write the criteria as llm-rubric"},
    {"factuality", "has instructions of its own; write the criteria as llm-rubric"},
    {"select-best", "compares answers with each other; 'filecall compare' does"},
    {"*", "has no grader here"}};

std::string plain_value(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

/// A literal as an expression.
std::string quoted_pattern(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) == 0 && c != '_') out += '\\';
    out += c;
  }
  return out;
}

/// Makes one assertion's grader.
class AssertionTaker {
 public:
  AssertionTaker(const ConfigNode& node, const Json& variables, ImportFiles& files)
      : node_(node), variables_(variables), files_(files) {}

  Result<TakenAssertion> take() {
    std::string type = node_.text("type");
    if (type.empty()) return refused("has no type");
    taken_.name = type;
    const bool is_negated = type.starts_with(kNot);
    if (is_negated) type.erase(0, kNot.size());
    TRY(check_settings());
    if (const auto value = node_.find("value")) {
      TRY_ASSIGN(value_, render(value->json()));
    }
    TRY(by_type(type, is_negated));
    if (is_negated) taken_.grader["negate"] = true;
    if (const auto weight = node_.find("weight")) {
      taken_.grader["weight"] = weight->json();
      const bool is_weight = weight->json().is_number() && weight->json().get<double>() > 0;
      if (!is_weight) return refused("a weight of 0 only records; no grader does");
    }
    const std::string metric = node_.text("metric");
    if (!metric.empty() && metric.find("{{") == std::string::npos) taken_.name = metric;
    return std::move(taken_);
  }

 private:
  Result<void> check_settings() const {
    for (const char* key : {"transform", "contextTransform"}) {
      if (!node_.find(key)) continue;
      return refused(fmt::format("'{}' changes the answer before it is judged", key));
    }
    return {};
  }

  /// With its places filled and its file read.
  Result<Json> render(const Json& value) const {
    if (value.is_array()) {
      Json list = Json::array();
      for (const Json& one : value) {
        TRY_ASSIGN(Json rendered, render(one));
        list.push_back(std::move(rendered));
      }
      return list;
    }
    if (!value.is_string()) return value;
    std::string text = value.get<std::string>();
    if (const std::string path = path_of_url(text); !path.empty()) {
      if (is_program_path(path)) return refused(path + ": is a program");
      auto content = files_.read(path);
      if (!content) return refused(content.error().message);
      text = *std::move(content);
      if (path.ends_with(".json") || path.ends_with(".yaml") || path.ends_with(".yml")) {
        auto parsed = YamlDocument::parse(text, path);
        if (!parsed) return refused(parsed.error().message);
        return parsed->json();
      }
      text = std::string(without_outer_blanks(text));
    }
    TRY_ASSIGN(std::string rendered, render_foreign(text, variables_));
    return Json(std::move(rendered));
  }

  Result<void> by_type(const std::string& type, bool is_negated) {
    if (type == "equals") return equals();
    if (type == "contains" || type == "icontains") return contains(type == "icontains");
    if (type == "contains-any" || type == "icontains-any") return any(type == "icontains-any");
    if (type == "contains-all" || type == "icontains-all") return all(type == "icontains-all");
    if (type == "starts-with") return starts_with();
    if (type == "regex") return regex();
    if (type == "is-json") return is_json();
    if (type == "llm-rubric") return rubric();
    if (type == "latency") return latency(is_negated);
    if (type == "cost") return cost(is_negated);
    const auto why = kWhyNot.find(type);
    return refused((why == kWhyNot.end() ? kWhyNot.at("*") : why->second));
  }

  Result<void> equals() {
    if (value_.is_structured()) {
      taken_.grader = {{"kind", "json_equal"}};
      taken_.expected = value_;
      taken_.difference = kFence;
      return {};
    }
    if (value_.is_null()) return refused("has no value");
    taken_.grader = {{"kind", "exact"}, {"trim", false}};
    taken_.expected = plain_value(value_);
    return {};
  }

  Json text_grader(const char* kind, bool ignores_case) const {
    Json grader = {{"kind", kind}, {"trim", false}};
    if (ignores_case) grader["ignore_case"] = true;
    return grader;
  }

  Result<void> contains(bool ignores_case) {
    if (value_.is_structured() || plain_value(value_).empty() || value_.is_null()) {
      return refused("has no value: every text contains the empty text");
    }
    taken_.grader = text_grader("contains", ignores_case);
    taken_.expected = plain_value(value_);
    return {};
  }

  /// The value as a list of texts.
  Result<Json> texts() const {
    Json list = value_;
    if (value_.is_string()) {
      auto read = split_list(value_.get<std::string>());
      if (!read) return refused(read.error().message);
      list = std::move(*read);
    }
    if (!list.is_array() || list.empty()) return refused("has no list of values");
    for (Json& one : list) {
      one = plain_value(one);
      if (one == "") return refused("one value is empty: every text contains it");
    }
    return list;
  }

  Result<void> any(bool ignores_case) {
    TRY_ASSIGN(Json list, texts());
    taken_.grader = text_grader("contains", ignores_case);
    taken_.expected = std::move(list);
    return {};
  }

  Result<void> all(bool ignores_case) {
    TRY_ASSIGN(Json list, texts());
    taken_.grader = text_grader("contains", ignores_case);
    taken_.grader["all"] = std::move(list);
    return {};
  }

  Result<void> starts_with() {
    const std::string text = value_.is_null() ? "" : plain_value(value_);
    if (text.empty()) return refused("has no value: every text begins so");
    taken_.grader = text_grader("regex", false);
    taken_.grader["pattern"] = "^" + quoted_pattern(text);
    return {};
  }

  Result<void> regex() {
    const std::string text = value_.is_string() ? value_.get<std::string>() : "";
    if (text.empty()) return refused("has no expression");
    const auto pattern = Pattern::compile(text, {});
    if (!pattern) return refused(pattern.error().message);
    taken_.grader = text_grader("regex", false);
    taken_.grader["pattern"] = text;
    return {};
  }

  Result<void> is_json() {
    Json schema = value_.is_null() ? Json::object() : value_;
    if (schema.is_string()) {
      const auto parsed = YamlDocument::parse(schema.get<std::string>(), "value");
      schema = parsed ? parsed->json() : Json();
    }
    if (!schema.is_object()) return refused("the schema is no mapping");
    const auto compiled = SchemaValidator::compile(schema);
    if (!compiled) return refused("the schema: " + compiled.error().message);
    taken_.grader = {{"kind", "json_schema"}, {"schema", std::move(schema)}};
    taken_.difference = kFence;
    return {};
  }

  Result<void> rubric() {
    const std::string criteria = value_.is_string() ? value_.get<std::string>() : "";
    if (criteria.empty()) return refused("has no criteria");
    if (node_.find("rubricPrompt")) return refused("has instructions of its own");
    taken_.grader = {{"kind", "judge"}};
    taken_.expected = criteria;
    if (const auto threshold = node_.find("threshold")) {
      taken_.grader["threshold"] = threshold->json();
    }
    taken_.asks_judge = true;
    taken_.difference = "the judge has filecall's instructions, with these criteria";
    return {};
  }

  /// What is above 0 and below the limit; a number, also as a text.
  Result<double> threshold(double max) const {
    const auto node = node_.find("threshold");
    if (!node) return refused("has no threshold");
    const Json value = node->json();
    const bool is_fine = value.is_number() && value.get<double>() > 0 && value.get<double>() <= max;
    if (!is_fine) return refused(fmt::format("the threshold is no number above 0, up to {}", max));
    return value.get<double>();
  }

  void note_of_call(const char* what, bool is_negated) {
    taken_.difference = what;
    if (is_negated) taken_.difference += "; older versions there take no notice of 'not-'";
  }

  Result<void> latency(bool is_negated) {
    constexpr double kMaxMs = 1e9;
    TRY_ASSIGN(const double ms, threshold(kMaxMs));
    if (ms < 1) return refused("the threshold is below a millisecond");
    // Times here are whole milliseconds.
    taken_.grader = {{"kind", "latency"}, {"max", fmt::format("{}ms", std::floor(ms))}};
    note_of_call(
        "the time is that of the call in the worker, without the queue; a response from a cache is "
        "ungraded, there it is an error",
        is_negated);
    return {};
  }

  Result<void> cost(bool is_negated) {
    constexpr double kMaxUsd = 1e9;
    TRY_ASSIGN(const double usd, threshold(kMaxUsd));
    taken_.grader = {{"kind", "cost"}, {"max", usd}};
    note_of_call(
        "the cost is by the prices that filecall knows; where there is none the response is "
        "ungraded, there it is an error",
        is_negated);
    return {};
  }

  const ConfigNode& node_;
  const Json& variables_;
  ImportFiles& files_;
  Json value_;
  TakenAssertion taken_;
};

/// What a cell may begin with; anything else is what the answer equals.
bool is_cell_type(std::string_view type) {
  if (type.starts_with(kNot)) type.remove_prefix(kNot.size());
  static const std::set<std::string_view> kTypes = {"equals",
                                                    "contains",
                                                    "icontains",
                                                    "contains-any",
                                                    "icontains-any",
                                                    "contains-all",
                                                    "icontains-all",
                                                    "starts-with",
                                                    "regex",
                                                    "is-json",
                                                    "contains-json",
                                                    "is-xml",
                                                    "is-sql",
                                                    "contains-xml",
                                                    "contains-sql",
                                                    "contains-html",
                                                    "is-html",
                                                    "javascript",
                                                    "python",
                                                    "webhook",
                                                    "similar",
                                                    "levenshtein",
                                                    "latency",
                                                    "cost",
                                                    "factuality",
                                                    "llm-rubric",
                                                    "g-eval",
                                                    "rouge-n",
                                                    "answer-relevance",
                                                    "context-recall",
                                                    "context-relevance",
                                                    "context-faithfulness",
                                                    "model-graded-closedqa",
                                                    "model-graded-factuality",
                                                    "moderation",
                                                    "perplexity",
                                                    "perplexity-score",
                                                    "select-best",
                                                    "classifier",
                                                    "word-count",
                                                    "is-refusal",
                                                    "ruby",
                                                    "is-valid-openai-tools-call",
                                                    "is-valid-openai-function-call",
                                                    "finish-reason",
                                                    "guardrails"};
  return kTypes.contains(type);
}

}  // namespace

Json assertion_of_cell(const std::string& cell) {
  for (const char* prefix : {"fn:", "eval:"}) {
    if (cell.starts_with(prefix)) return {{"type", "javascript"}};
  }
  if (cell.starts_with("grade:")) return {{"type", "llm-rubric"}, {"value", cell.substr(6)}};
  if (const std::string path = path_of_url(cell); is_program_path(path)) {
    return {{"type", path.find(".py") != std::string::npos ? "python" : "javascript"}};
  }
  const std::size_t end = std::min(cell.find_first_of("(:"), cell.size());
  Json assertion = {{"type", cell.substr(0, end)}};
  std::string_view rest = std::string_view(cell).substr(end);
  if (rest.starts_with('(')) {
    const std::size_t close = rest.find(')');
    const std::string_view number = rest.substr(1, close == rest.npos ? 0 : close - 1);
    double threshold = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), threshold);
    const bool is_number = read.ec == std::errc() && read.ptr == number.data() + number.size();
    if (close == rest.npos || !is_number) return {{"type", "equals"}, {"value", cell}};
    assertion["threshold"] = threshold;
    rest.remove_prefix(close + 1);
  }
  const bool is_over = rest.empty() || rest.front() == ':';
  if (!is_over || !is_cell_type(cell.substr(0, end))) return {{"type", "equals"}, {"value", cell}};
  if (!rest.empty()) assertion["value"] = without_outer_blanks(rest.substr(1));
  return assertion;
}

Result<TakenAssertion> take_assertion(const ConfigNode& assertion, const Json& variables,
                                      ImportFiles& files) {
  return AssertionTaker(assertion, variables, files).take();
}

}  // namespace filecall::client
