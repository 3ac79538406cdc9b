// SPDX-License-Identifier: MIT
#include "client/eval/judge_verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ipc/json_text.h"
#include "ipc/limits.h"

namespace filecall::client {
namespace {

/// How many places an object may begin at are tried, from the end: a text of braces costs no more.
constexpr int kBeginningsMax = 64;

JudgeVerdict unreadable(std::string reason) { return {.reason = std::move(reason)}; }

std::string_view without_white_end(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
}

/// The JSON object that ends the text and begins a line: an answer that a judge quotes within a
/// sentence is no verdict.
std::optional<Json> last_object(std::string_view text) {
  text = without_white_end(text);
  if (text.ends_with("```")) text = without_white_end(text.substr(0, text.size() - 3));
  if (!text.ends_with('}')) return std::nullopt;
  std::size_t begin = text.size();
  for (int tries = 0; tries < kBeginningsMax && begin > 0; ++tries) {
    begin = text.rfind('{', begin - 1);
    if (begin == std::string_view::npos) return std::nullopt;
    const auto before = text.substr(0, begin).find_last_not_of(" \t");
    if (before != std::string_view::npos && text[before] != '\n') continue;
    auto parsed = parse_json_strict(text.substr(begin), limits::kDepth);
    if (parsed) return *std::move(parsed);
  }
  return std::nullopt;
}

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  const auto* text = found == object.end() ? nullptr : found->get_ptr<const std::string*>();
  return text == nullptr ? std::string() : *text;
}

JudgeVerdict verdict_of(const Json& object, const JudgeScale& scale) {
  JudgeVerdict verdict;
  verdict.reason = text_in(object, "reason");
  if (scale.is_pass_fail()) {
    verdict.said = text_in(object, "verdict");
    if (verdict.said == "pass" || verdict.said == "fail") {
      verdict.score = verdict.said == "pass" ? 1 : 0;
      return verdict;
    }
    return unreadable("the verdict is neither pass nor fail");
  }
  const auto found = object.find("score");
  if (found == object.end() || !found->is_number_integer()) {
    return unreadable("the verdict has no whole number as its score");
  }
  const auto number = found->get<std::int64_t>();
  if (number < scale.min || number > scale.max) {
    return unreadable(fmt::format("the score {} is beside the scale", number));
  }
  verdict.said = std::to_string(number);
  verdict.score =
      static_cast<double>(number - scale.min) / static_cast<double>(scale.max - scale.min);
  return verdict;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

JudgeVerdict read_verdict_text(std::string_view text, const JudgeScale& scale) {
  const auto object = last_object(text);
  if (!object) return unreadable("no verdict ends the judge's answer: " + excerpt(text, 200));
  return verdict_of(*object, scale);
}

JudgeVerdict read_verdict(const Reply& reply, const JudgeScale& scale) {
  if (!reply.response || !reply.response->is_success()) {
    return unreadable(reply.problem.empty() ? "the judge did not answer"
                                            : "the judge did not answer: " + reply.problem);
  }
  const Json& data = reply.response->data;
  if (!data.is_object()) return unreadable("the judge's answer is none of llm.chat");
  const EvaluationOutcome outcome = outcome_of_response(*reply.response);
  JudgeVerdict verdict;
  if (outcome != EvaluationOutcome::kGraded) {
    verdict = unreadable(fmt::format("the judge's answer is a {}", to_string(outcome)));
  } else if (const auto parsed = data.find("parsed"); parsed != data.end() && parsed->is_object()) {
    verdict = verdict_of(*parsed, scale);
  } else {
    verdict = read_verdict_text(text_in(data, "text"), scale);
  }
  verdict.model = text_in(data, "model");
  return verdict;
}

Judgement vote(std::span<const JudgeVerdict> verdicts, const JudgeScale& scale) {
  std::vector<double> scores;
  for (const JudgeVerdict& verdict : verdicts) {
    if (verdict.score) scores.push_back(*verdict.score);
  }
  if (verdicts.size() == 1) return {verdicts[0].score, verdicts[0].reason, Json()};
  if (scores.size() * 2 <= verdicts.size()) {
    return Judgement::none(
        fmt::format("{} of {} judges gave a verdict that can be read; the first "
                    "one says: {}",
                    scores.size(), verdicts.size(), verdicts.empty() ? "" : verdicts[0].reason));
  }
  if (!scale.is_pass_fail()) {
    const double median = median_of(scores);
    return {.score = median,
            .reason = fmt::format("median of {} of {} judges", scores.size(), verdicts.size())};
  }
  const auto passes = static_cast<std::size_t>(std::count(scores.begin(), scores.end(), 1.0));
  const std::size_t fails = scores.size() - passes;
  const std::string counts =
      fmt::format("{} of {} judges say pass, {} fail", passes, verdicts.size(), fails);
  if (passes * 2 > verdicts.size()) return Judgement::of(true, counts);
  if (fails * 2 > verdicts.size()) return Judgement::of(false, counts);
  return Judgement::none("no majority: " + counts);
}

}  // namespace filecall::client
