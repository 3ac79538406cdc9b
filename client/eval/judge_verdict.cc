// SPDX-License-Identifier: MIT
#include "client/eval/judge_verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "ipc/json_text.h"
#include "ipc/limits.h"

namespace filecall::client {
namespace {

/// How many places an object may begin at are tried, from the end: a text of braces costs no more.
constexpr int kBeginningsMax = 64;

JudgeVerdict unreadable(std::string reason) {
  return {.reason = std::move(reason), .is_unreadable = true};
}

std::string_view without_white_end(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
}

std::string_view without_fence_end(std::string_view text) {
  text = without_white_end(text);
  return text.ends_with("```") ? without_white_end(text.substr(0, text.size() - 3)) : text;
}

struct FoundObject {
  Json object;
  std::string_view text;
};

/// The JSON object that ends the text and begins a line: an answer that a judge quotes within a
/// sentence is no verdict.
std::optional<FoundObject> last_object(std::string_view text) {
  text = without_fence_end(text);
  if (!text.ends_with('}')) return std::nullopt;
  std::size_t begin = text.size();
  for (int tries = 0; tries < kBeginningsMax && begin > 0; ++tries) {
    begin = text.rfind('{', begin - 1);
    if (begin == std::string_view::npos) return std::nullopt;
    const auto before = text.substr(0, begin).find_last_not_of(" \t");
    if (before != std::string_view::npos && text[before] != '\n') continue;
    auto parsed = parse_json_strict(text.substr(begin), limits::kDepth);
    if (parsed) return FoundObject{*std::move(parsed), text.substr(begin)};
  }
  return std::nullopt;
}

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  const auto* text = found == object.end() ? nullptr : found->get_ptr<const std::string*>();
  return text == nullptr ? std::string() : *text;
}

std::string names_of(const JudgeScale& scale) {
  std::string names;
  for (const JudgeLabel& label : labels_of(scale)) {
    names += (names.empty() ? "" : ", ") + label.name;
  }
  return names;
}

JudgeVerdict verdict_of(const Json& object, const JudgeScale& scale) {
  JudgeVerdict verdict;
  verdict.reason = text_in(object, "reason");
  if (scale.has_labels()) {
    verdict.said = text_in(object, "verdict");
    verdict.score = score_on(scale, verdict.said);
    return verdict.score ? verdict : unreadable("the verdict is none of " + names_of(scale));
  }
  const auto found = object.find("score");
  if (found == object.end() || !found->is_number_integer()) {
    return unreadable("the verdict has no whole number as its score");
  }
  verdict.said = std::to_string(found->get<std::int64_t>());
  verdict.score = score_on(scale, verdict.said);
  return verdict.score ? verdict
                       : unreadable(fmt::format("the score {} is beside the scale", verdict.said));
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// What is nearest to a score: a label, or a number of the scale.
std::string nearest_said(double score, const JudgeScale& scale) {
  if (!scale.has_labels()) {
    const double number =
        static_cast<double>(scale.min) + score * static_cast<double>(scale.max - scale.min);
    return std::to_string(std::llround(number));
  }
  const std::vector<JudgeLabel>& labels = labels_of(scale);
  return std::min_element(labels.begin(), labels.end(),
                          [score](const JudgeLabel& a, const JudgeLabel& b) {
                            return std::abs(a.score - score) < std::abs(b.score - score);
                          })
      ->name;
}

/// "; NAME: why" for each judge without a verdict.
std::string silent_judges(std::span<const JudgeVerdict> verdicts) {
  std::string text;
  for (const JudgeVerdict& verdict : verdicts) {
    if (verdict.score) continue;
    text += fmt::format("; {}: {}", verdict.judge.empty() ? "a judge" : verdict.judge,
                        verdict.reason.empty() ? "no verdict" : verdict.reason);
  }
  return text;
}

Judgement majority_of(std::span<const JudgeVerdict> verdicts) {
  std::map<std::string, std::size_t> counts;
  for (const JudgeVerdict& verdict : verdicts) {
    if (verdict.score) ++counts[verdict.said];
  }
  std::vector<std::pair<std::size_t, std::string>> sorted;
  sorted.reserve(counts.size());
  for (const auto& [said, count] : counts) sorted.emplace_back(count, said);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [count, said] : sorted) {
    text += text.empty() ? fmt::format("{} of {} judges say {}", count, verdicts.size(), said)
                         : fmt::format(", {} {}", count, said);
  }
  if (sorted.empty() || sorted[0].first * 2 <= verdicts.size()) {
    return Judgement::none("no majority: " + text + silent_judges(verdicts));
  }
  for (const JudgeVerdict& verdict : verdicts) {
    if (verdict.score && verdict.said == sorted[0].second) {
      return {.score = verdict.score,
              .reason = std::move(text),
              .details = {{"verdict", verdict.said}}};
    }
  }
  return Judgement::none("no majority: " + text);
}

}  // namespace

JudgeVerdict read_verdict_text(std::string_view text, const JudgeScale& scale,
                               std::span<const std::string> judged) {
  const auto found = last_object(text);
  if (!found) {
    const bool ends_so = without_fence_end(text).ends_with('}');
    return unreadable((ends_so ? "the judge's verdict is no JSON object on lines of its own: "
                               : "no verdict ends the judge's answer: ") +
                      excerpt(text, 200));
  }
  for (const std::string& shown : judged) {
    if (shown.find(found->text) == std::string::npos) continue;
    return unreadable("what ends the judge's answer stands word for word in the text it was shown");
  }
  return verdict_of(found->object, scale);
}

Reply unreadable_reply() {
  Response cut;
  cut.data = {{"finish_reason", "length"}, {"text", ""}};
  return {.response = std::move(cut)};
}

JudgeVerdict read_verdict(const Reply& reply, const JudgeScale& scale,
                          std::span<const std::string> judged) {
  if (!reply.response || !reply.response->is_success()) {
    return {.reason = reply.problem.empty() ? "the judge did not answer"
                                            : "the judge did not answer: " + reply.problem};
  }
  const Json& data = reply.response->data;
  if (!data.is_object()) return {.reason = "the judge's answer is none of llm.chat"};
  const EvaluationOutcome outcome = outcome_of_response(*reply.response);
  JudgeVerdict verdict;
  if (outcome == EvaluationOutcome::kTruncated) {
    verdict = unreadable("the judge's answer was cut at its length");
  } else if (outcome != EvaluationOutcome::kGraded) {
    verdict.reason = fmt::format("the judge's answer is a {}", to_string(outcome));
  } else if (const auto parsed = data.find("parsed"); parsed != data.end() && parsed->is_object()) {
    verdict = verdict_of(*parsed, scale);
  } else {
    verdict = read_verdict_text(text_in(data, "text"), scale, judged);
  }
  verdict.model = text_in(data, "model");
  return verdict;
}

Judgement vote(std::span<const JudgeVerdict> verdicts, const JudgeScale& scale, Combine combine) {
  std::vector<double> scores;
  for (const JudgeVerdict& verdict : verdicts) {
    if (verdict.score) scores.push_back(*verdict.score);
  }
  if (verdicts.size() == 1) {
    Json details = verdicts[0].score ? Json{{"verdict", verdicts[0].said}} : Json();
    return {verdicts[0].score, verdicts[0].reason, std::move(details)};
  }
  if (scores.size() * 2 <= verdicts.size()) {
    return Judgement::none(fmt::format("{} of {} judges gave a verdict that can be read{}",
                                       scores.size(), verdicts.size(), silent_judges(verdicts)));
  }
  if (combine == Combine::kMajority) return majority_of(verdicts);
  const bool is_mean = combine == Combine::kMean;
  const double score = is_mean ? mean_of(scores) : median_of(scores);
  return {.score = score,
          .reason = fmt::format("{} of {} of {} judges", is_mean ? "mean" : "median", scores.size(),
                                verdicts.size()),
          .details = {{"verdict", nearest_said(score, scale)}}};
}

}  // namespace filecall::client
