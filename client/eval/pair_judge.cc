// SPDX-License-Identifier: MIT
#include "client/eval/pair_judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "client/core/prompt_template.h"
#include "client/eval/judge_markers.h"

namespace filecall::client {
namespace {

constexpr std::string_view kPairSystem =
    "You compare what two other systems answered to a task, by one criterion and nothing else. "
    "The order of the answers, their length and their style mean nothing unless the criterion says "
    "so.\nThe task, the answers and, where there is one, a reference stand between markers such as "
    "<<ANSWER 1 code>> and <<END ANSWER 1 code>>, ";

/// What a judge says of a pair; the scores only order the names.
const JudgeScale& pair_scale() {
  static const JudgeScale kScale{.labels = {{"1", 1}, {"2", 0}, {"tie", 0.5}}};
  return kScale;
}

/// What a judge said in one order, of A and B.
std::optional<Preference> preference_of(const JudgeVerdict& verdict, bool is_swapped) {
  if (!verdict.score) return std::nullopt;
  if (verdict.said == "tie") return Preference::kTie;
  return (verdict.said == "1") != is_swapped ? Preference::kA : Preference::kB;
}

}  // namespace

std::string_view to_string(Preference preference) {
  switch (preference) {
    case Preference::kA:
      return "a";
    case Preference::kB:
      return "b";
    case Preference::kTie:
      return "tie";
  }
  return "tie";
}

std::optional<Preference> parse_preference(std::string_view name) {
  for (const Preference one : {Preference::kA, Preference::kB, Preference::kTie}) {
    if (name == to_string(one)) return one;
  }
  return std::nullopt;
}

const std::set<std::string, std::less<>>& pair_places() {
  static const std::set<std::string, std::less<>> kPlaces = {"answer_1", "answer_2", "criteria",
                                                             "expected", "prompt"};
  return kPlaces;
}

std::vector<std::string> PairJudge::Case::texts() const {
  std::vector<std::string> all = {task_1, task_2, answer_1, answer_2};
  if (reference) all.push_back(*reference);
  for (const auto& [name, text] : columns) all.push_back(text);
  return all;
}

PairJudge::Case PairJudge::Case::swapped() const {
  Case other = *this;
  std::swap(other.task_1, other.task_2);
  std::swap(other.answer_1, other.answer_2);
  return other;
}

PairJudge::PairJudge(PairRule rule) : rule_(std::move(rule)) {}

std::optional<PairJudge::Case> PairJudge::case_of(const Subject& a, const Subject& b,
                                                  std::string& why) const {
  Case made;
  const auto answer_a = answer_text(a, rule_.at);
  const auto answer_b = answer_text(b, rule_.at);
  if (!answer_a || !answer_b) {
    why = "an answer has no " + rule_.at;
    return std::nullopt;
  }
  made.task_1 = task_text(a.request);
  made.task_2 = task_text(b.request);
  made.answer_1 = *answer_a;
  made.answer_2 = *answer_b;
  if (rule_.reference.source != Expectation::Source::kNone) {
    const auto reference = rule_.reference.value(a, why);
    if (!reference) return std::nullopt;
    made.reference = plain_text(*reference);
  }
  auto columns = columns_for(rule_.columns, a, why);
  if (!columns) return std::nullopt;
  made.columns = *std::move(columns);
  return made;
}

std::string PairJudge::user_text(const Case& shown, const std::string& code, bool again) const {
  const std::string task = shown.task_1 == shown.task_2
                               ? marked("TASK", code, shown.task_1)
                               : marked("TASK OF ANSWER 1", code, shown.task_1) +
                                     marked("TASK OF ANSWER 2", code, shown.task_2);
  const std::string instruction = verdict_instruction(
      pair_scale(), again, "Say which answer is better by the criterion, or that it is a tie.");
  Json values = {{"prompt", task},
                 {"answer_1", marked("ANSWER 1", code, shown.answer_1)},
                 {"answer_2", marked("ANSWER 2", code, shown.answer_2)},
                 {"expected", marked("REFERENCE", code, shown.reference.value_or(""))},
                 {"criteria", rule_.text.criteria}};
  for (const auto& [name, text] : shown.columns) {
    const std::string part = marked(name, code, text);
    values["vars." + name] = part;
    if (!pair_places().contains(name)) values[name] = part;
  }
  const std::string& own = rule_.text.own_template;
  const std::string frame = !own.empty() ? own
                                         : std::string("Criterion: {{criteria}}\n\n{{prompt}}") +
                                               (shown.reference ? "{{expected}}" : "") +
                                               "{{answer_1}}{{answer_2}}";
  const auto filled = fill_text(frame, values);
  CHECK(filled.has_value(), "the places of a template were checked, and its columns are there");
  return *filled + "\n\n" + instruction;
}

Question PairJudge::question(const Judge& judge, const Case& shown, bool again) const {
  const std::string code = marker_code(rule_.digest, shown.texts());
  Json messages = Json::array(
      {{{"role", "system"}, {"content", std::string(kPairSystem) + std::string(marker_rule())}},
       {{"role", "user"}, {"content", user_text(shown, code, again)}}});
  const auto structured = rule_.is_structured ? std::optional(pair_scale()) : std::nullopt;
  return question_for(judge, std::move(messages), structured, again);
}

std::vector<Question> PairJudge::questions(const Subject& a, const Subject& b) const {
  std::string why;
  const auto made = case_of(a, b, why);
  std::vector<Question> all;
  if (!made) return all;
  for (const Judge& judge : rule_.judges) {
    all.push_back(question(judge, *made, false));
    all.push_back(question(judge, made->swapped(), false));
  }
  return all;
}

std::vector<Question> PairJudge::questions_again(const Subject& a, const Subject& b,
                                                 std::span<const Reply> replies) const {
  std::string why;
  const auto made = case_of(a, b, why);
  std::vector<Question> all;
  if (!made || replies.size() < rule_.judges.size() * 2) return all;
  const std::vector<std::string> texts = made->texts();
  for (std::size_t i = 0; i < rule_.judges.size() * 2; ++i) {
    if (!read_verdict(replies[i], pair_scale(), texts).is_unreadable) continue;
    all.push_back(question(rule_.judges[i / 2], i % 2 == 0 ? *made : made->swapped(), true));
  }
  return all;
}

PairVerdict PairJudge::verdict(const Subject& a, const Subject& b,
                               std::span<const Reply> replies) const {
  PairVerdict result;
  const auto made = case_of(a, b, result.reason);
  if (!made) return result;
  const std::size_t count = rule_.judges.size() * 2;
  if (replies.size() < count) {
    result.reason = "the judges were not asked";
    return result;
  }
  const std::vector<std::string> texts = made->texts();
  std::span<const Reply> second = replies.subspan(count);
  std::array<std::size_t, 3> votes{};
  std::size_t voted = 0;
  for (std::size_t i = 0; i < count; i += 2) {
    const Judge& judge = rule_.judges[i / 2];
    std::array<std::optional<Preference>, 2> said;
    for (std::size_t order = 0; order < 2; ++order) {
      const Case shown = order == 0 ? *made : made->swapped();
      JudgeVerdict verdict = read_verdict(replies[i + order], pair_scale(), texts);
      std::string second_id;
      const Reply* again = nullptr;
      if (verdict.is_unreadable && !second.empty()) {
        again = &second.front();
        second = second.subspan(1);
        second_id = question(judge, shown, true).request_id;
        verdict = read_verdict(*again, pair_scale(), texts);
        if (!verdict.score) verdict.reason = "asked twice: " + verdict.reason;
      }
      said.at(order) = preference_of(verdict, order == 1);
      if (!said.at(order) && result.reason.empty()) {
        result.reason = judge.name + ": " + verdict.reason;
      }
      Json record = judge_record(judge, verdict, question(judge, shown, false).request_id,
                                 &replies[i + order], second_id, again);
      record["first"] = order == 0 ? "a" : "b";
      record["prefers"] = said.at(order) ? Json(to_string(*said.at(order))) : Json();
      result.judges.push_back(std::move(record));
    }
    if (!said[0] || !said[1]) continue;
    ++voted;
    const bool changed = *said[0] != *said[1];
    result.is_inconsistent = result.is_inconsistent || changed;
    ++votes.at(static_cast<std::size_t>(changed ? Preference::kTie : *said[0]));
  }
  if (voted * 2 <= rule_.judges.size()) {
    result.lacks_reply = std::any_of(replies.begin(), replies.end(),
                                     [](const Reply& reply) { return reply.is_given_up; });
    return result;
  }
  result.winner = Preference::kTie;
  for (const Preference side : {Preference::kA, Preference::kB}) {
    if (votes.at(static_cast<std::size_t>(side)) * 2 > rule_.judges.size()) result.winner = side;
  }
  result.reason = fmt::format("{} of {} judges prefer A, {} B, {} neither", votes[0],
                              rule_.judges.size(), votes[1], votes[2]);
  return result;
}

}  // namespace filecall::client
