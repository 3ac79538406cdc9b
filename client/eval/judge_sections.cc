// SPDX-License-Identifier: MIT
#include "client/eval/judge_sections.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace filecall::client {
namespace {

constexpr std::int64_t kScaleMax = 1'000'000;
constexpr std::size_t kLabelsMax = 50;
constexpr std::size_t kLabelBytesMax = 100;

Judge read_one_judge(const std::string& name, YamlSection& section) {
  Judge judge{name, section.take_all()};
  for (const char* ours : {"messages", "prompt", "system", "response_format", "stream"}) {
    if (judge.params.contains(ours)) section.complain(ours, "is written by the evaluation");
    judge.params.erase(ours);
  }
  Json sample = judge.params;
  sample["prompt"] = "x";
  check_params(section, "", "llm.chat", sample);
  return judge;
}

/// Why these are no labels; empty: they are.
std::string fault_of(const std::vector<JudgeLabel>& labels) {
  if (labels.size() < 2) return "give two labels or more, best first, or LABEL: SCORE";
  if (labels.size() > kLabelsMax) return fmt::format("give at most {} labels", kLabelsMax);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const JudgeLabel& label = labels[i];
    // What separates labels where a scale is written in one line stands in none.
    const bool is_plain = label.name.find_first_of("\n\r\t|=\"") == std::string::npos;
    if (label.name.empty() || label.name.size() > kLabelBytesMax || !is_plain) {
      return fmt::format("a label has 1 to {} bytes, without line ends, tabs, |, = and quotes",
                         kLabelBytesMax);
    }
    if (!(label.score >= 0 && label.score <= 1)) {
      return fmt::format("the score of '{}' must be a number from 0 to 1", label.name);
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (labels[j].name == label.name) return fmt::format("'{}' stands there twice", label.name);
    }
  }
  if (labels.front().score == labels.back().score) return "all labels have the same score";
  return {};
}

/// A list, best first, is spread evenly from 1 to 0; a mapping says the scores.
std::vector<JudgeLabel> read_labels(YamlSection& section) {
  std::vector<JudgeLabel> labels;
  const Json written = section.read_json("labels");
  if (written.is_object()) {
    for (const auto& [name, score] : written.items()) {
      labels.push_back({name, score.is_number() ? score.get<double>() : -1});
    }
    std::stable_sort(labels.begin(), labels.end(),
                     [](const JudgeLabel& a, const JudgeLabel& b) { return a.score > b.score; });
  } else {
    std::vector<std::string> names;
    section.read("labels", names);
    const double last = static_cast<double>(names.size()) - 1;
    for (std::size_t i = 0; i < names.size(); ++i) {
      labels.push_back({names[i], names.size() < 2 ? 1 : 1 - static_cast<double>(i) / last});
    }
  }
  if (const std::string fault = fault_of(labels); !fault.empty()) section.complain("labels", fault);
  return labels;
}

Combine read_combine(YamlSection& section, const JudgeScale& scale) {
  const auto choice = section.read_choice("combine", {"majority", "mean", "median"});
  if (!choice) return scale.has_labels() ? Combine::kMajority : Combine::kMean;
  if (*choice == "majority" && !scale.has_labels()) {
    section.complain("combine", "numbers are combined by mean or median");
  }
  if (*choice == "majority") return Combine::kMajority;
  return *choice == "mean" ? Combine::kMean : Combine::kMedian;
}

/// The criterion, or a template of one's own. `own`: the places that are no columns, `answers`:
/// those of them for the answers.
JudgeText read_judge_text(YamlSection& section, const Expectation& reference,
                          GraderReading& reading, const std::set<std::string, std::less<>>& own,
                          const std::vector<std::string>& answers) {
  JudgeText text;
  text.criteria = read_text_or_file(section, "criteria", reading);
  text.own_template = read_template(section, reading, own, answers, reading.template_columns);
  const auto places = places_of(text.own_template, own);
  const bool has_template = section.has("template") || section.has("template_file");
  if (!has_template && text.criteria.empty()) {
    section.complain("criteria", "is missing: what a good answer does");
  }
  if (text.own_template.empty() || !places) return text;
  const bool has_reference = reference.source != Expectation::Source::kNone;
  if (places->has("expected") != has_reference) {
    section.complain("template", has_reference
                                     ? "has no place {{expected}}, and expected is given"
                                     : "has the place {{expected}}: give expected, expected_var or "
                                       "expected_at, or write {{vars.expected}} for a column");
  }
  if (places->has("criteria") != !text.criteria.empty()) {
    section.complain("template", text.criteria.empty()
                                     ? "has the place {{criteria}}, and criteria is not given"
                                     : "has no place {{criteria}}, and criteria is given");
  }
  return text;
}

}  // namespace

void read_judges(YamlSection& top, GraderReading& reading) {
  top.each("judges", [&](const std::string& name, YamlSection& section) {
    reading.judges.push_back(read_one_judge(name, section));
  });
}

std::vector<Judge> judges_of(YamlSection& section, GraderReading& reading) {
  std::vector<Judge> judges;
  if (section.read_json("judges").is_object()) {
    section.each("judges", [&](const std::string& name, YamlSection& inner) {
      judges.push_back(read_one_judge(name, inner));
    });
  } else {
    std::vector<std::string> names;
    section.read("judges", names);
    for (const Judge& judge : reading.judges) {
      if (std::erase(names, judge.name) > 0 || !section.has("judges")) judges.push_back(judge);
    }
    for (const std::string& name : names) {
      section.complain("judges",
                       fmt::format("'{}' does not stand under judges, or twice here", name));
    }
  }
  if (judges.empty()) {
    section.complain("judges", "there is no judge; write e.g. judges: {main: {model: gpt-4.1}}");
  }
  reading.asked_judges.insert(reading.asked_judges.end(), judges.begin(), judges.end());
  return judges;
}

std::string read_template(YamlSection& section, GraderReading& reading,
                          const std::set<std::string, std::less<>>& own,
                          const std::vector<std::string>& required,
                          std::set<std::string, std::less<>>& columns) {
  columns.clear();
  const char* key = section.has("template") ? "template" : "template_file";
  std::string text = read_text_or_file(section, "template", reading);
  if (!section.has(key)) return {};
  const auto places = places_of(text, own);
  if (!places) {
    section.complain(key, places.error().message);
    return {};
  }
  for (const std::string& name : required) {
    if (places->has(name)) continue;
    section.complain(key, fmt::format("has no place {{{{{}}}}}", name));
  }
  columns = places->columns;
  return text;
}

JudgeScale read_scale(YamlSection& section) {
  JudgeScale scale;
  if (section.has("labels")) {
    if (section.has("scale")) section.complain("labels", "excludes scale");
    scale.labels = read_labels(section);
  }
  section.section("scale", [&](YamlSection& inner) {
    scale.min = 1;
    scale.max = 5;
    inner.read_integer("min", -kScaleMax, kScaleMax, scale.min);
    inner.read_integer("max", -kScaleMax, kScaleMax, scale.max);
    if (scale.min >= scale.max) inner.complain("max", "must be above min");
  });
  return scale;
}

std::unique_ptr<Grader> read_judge(YamlSection& section, GraderSettings settings,
                                   GraderReading& reading) {
  JudgeRule rule;
  rule.scale = read_scale(section);
  rule.combine = read_combine(section, rule.scale);
  section.read("structured", rule.is_structured);
  rule.reference = read_expectation(section, false, Empty::kMayBeAllowed);
  rule.text = read_judge_text(section, rule.reference, reading, judge_places(), {"answer"});
  rule.columns = reading.template_columns;
  settings.guidance = rule.text.own_template.empty() ? rule.text.criteria : rule.text.own_template;
  rule.judges = judges_of(section, reading);
  if (rule.judges.empty()) return nullptr;
  const std::string digest = prompt_of(rule).digest();
  reading.prompt_digests.push_back(fmt::format("{}: {}", settings.name, digest));
  std::string pinned = digest;
  section.read("prompt_digest", pinned);
  if (pinned != digest) {
    section.complain("prompt_digest",
                     fmt::format("the judges' prompt is another one now: {}", digest));
  }
  return make_judge_grader(std::move(settings), std::move(rule));
}

std::optional<PairRule> read_pairwise(YamlSection& top, GraderReading& reading) {
  if (!top.has("pairwise")) return std::nullopt;
  PairRule rule;
  top.section("pairwise", [&](YamlSection& section) {
    section.read("structured", rule.is_structured);
    rule.reference = read_expectation(section, false, Empty::kMayBeAllowed);
    rule.text =
        read_judge_text(section, rule.reference, reading, pair_places(), {"answer_1", "answer_2"});
    rule.columns = std::exchange(reading.template_columns, {});
    rule.at = reading.answer;
    read_pointer(section, "answer", rule.at);
    rule.judges = judges_of(section, reading);
  });
  if (rule.judges.empty()) return std::nullopt;
  return rule;
}

}  // namespace filecall::client
