// SPDX-License-Identifier: MIT
#include "client/eval/grader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/hash.h"
#include "base/utf8.h"
#include "client/eval/text_form.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

/// Long reasons come from models and programs; a record is read by people.
constexpr std::size_t kReasonBytesMax = 2000;
constexpr std::size_t kExpectedBytesMax = 8000;

/// Cut between characters; line ends stay.
std::string excerpt_lines(const std::string& text, std::size_t bytes_max) {
  std::string clean = sanitize_utf8(text);
  if (clean.size() <= bytes_max) return clean;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(clean[end]) & 0xc0) == 0x80) --end;
  return clean.substr(0, end) + "...";
}

bool is_blank(const Json& value) {
  return value.is_string() && in_form(value.get_ref<const std::string&>(), {}).empty();
}

}  // namespace

Question make_question(std::string_view command, Json params, std::string_view by) {
  Question question;
  question.command = std::string(command);
  Request request;
  request.command = question.command;
  request.params = std::move(params);
  request.metadata = {{"evaluation_of", "answer"}, {"by", by}};
  // The text before the id is put in: objects are sorted, so equal content is equal text.
  question.request_id = std::string(kQuestionPrefix) + hash128(render_request(request)).hex();
  request.request_id = question.request_id;
  question.bytes = render_request(request);
  return question;
}

std::vector<Question> Grader::questions(const Subject& whole) const {
  const auto of_turn = of_own_turn(whole);
  if (!of_turn) return {};
  const Subject& subject = *of_turn;
  const auto choices = choices_of(subject, settings_.at);
  if (choices.empty()) return ask(subject);
  std::vector<Question> all;
  for (const Subject& choice : choices) {
    if (!incomplete_choice(choice).empty()) continue;
    for (Question& question : ask(choice)) all.push_back(std::move(question));
  }
  return all;
}

std::vector<Question> Grader::questions_again(const Subject& whole,
                                              std::span<const Reply> replies) const {
  const auto of_turn = of_own_turn(whole);
  if (!of_turn) return {};
  const Subject& subject = *of_turn;
  const auto choices = choices_of(subject, settings_.at);
  if (choices.empty()) return ask_again(subject, replies);
  std::vector<Question> all;
  for (const Subject& choice : choices) {
    if (!incomplete_choice(choice).empty()) continue;
    const std::size_t count = std::min(ask(choice).size(), replies.size());
    for (Question& question : ask_again(choice, replies.first(count))) {
      all.push_back(std::move(question));
    }
    replies = replies.subspan(count);
  }
  return all;
}

Judgement Grader::judge_choices(std::span<const Subject> choices,
                                std::span<const Reply> replies) const {
  Judgement whole;
  Json details = Json::array();
  double sum = 0;
  std::string missing;
  std::size_t asked = 0;
  for (const Subject& choice : choices) {
    if (incomplete_choice(choice).empty()) asked += ask(choice).size();
  }
  asked = std::min(asked, replies.size());
  std::span<const Reply> second = replies.subspan(asked);
  replies = replies.first(asked);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    Judgement one = Judgement::none(incomplete_choice(choices[i]));
    if (one.reason.empty()) {
      const std::size_t count = std::min(ask(choices[i]).size(), replies.size());
      std::vector<Reply> own(replies.begin(), replies.begin() + static_cast<std::ptrdiff_t>(count));
      const std::size_t again =
          second.empty() ? 0 : std::min(ask_again(choices[i], own).size(), second.size());
      own.insert(own.end(), second.begin(), second.begin() + static_cast<std::ptrdiff_t>(again));
      one = judge(choices[i], own);
      replies = replies.subspan(count);
      second = second.subspan(again);
    }
    Json detail = one.details.is_object() ? std::move(one.details) : Json::object();
    detail["score"] = one.score ? Json(*one.score) : Json();
    detail["reason"] = one.reason;
    details.push_back(std::move(detail));
    if (one.score) sum += *one.score;
    if (!one.score && missing.empty()) missing = fmt::format("choice {}: {}", i + 1, one.reason);
  }
  whole.details = {{"choices", std::move(details)}};
  if (missing.empty()) whole.score = sum / static_cast<double>(choices.size());
  whole.reason =
      missing.empty() ? fmt::format("the mean of {} choices", choices.size()) : std::move(missing);
  return whole;
}

Judgement Grader::judge_turn(const Subject& whole, std::span<const Reply> replies) const {
  const auto subject = of_own_turn(whole);
  if (!subject) return Judgement::none(subject.error());
  const auto choices =
      settings_.is_of_call ? std::vector<Subject>() : choices_of(*subject, settings_.at);
  return choices.empty() ? judge(*subject, replies) : judge_choices(choices, replies);
}

Grade Grader::grade(const Subject& subject, std::span<const Reply> replies) const {
  Judgement judgement = judge_turn(subject, replies);
  Grade grade;
  grade.name = settings_.name;
  grade.kind = settings_.kind;
  grade.weight = settings_.weight;
  grade.reason = excerpt(
      settings_.is_negated && judgement.score ? "negated: " + judgement.reason : judgement.reason,
      kReasonBytesMax);
  grade.details = std::move(judgement.details);
  if (judgement.score && std::isfinite(*judgement.score)) {
    const double score = std::clamp(*judgement.score, 0.0, 1.0);
    grade.score = settings_.is_negated ? 1 - score : score;
    grade.passed = *grade.score >= settings_.threshold;
  }
  grade.lacks_reply = !grade.score && std::any_of(replies.begin(), replies.end(),
                                                  [](const Reply& r) { return r.is_given_up; });
  if (const Expectation* wanted = expectation()) {
    std::string why;
    for (const std::string& text : wanted->texts(subject, why)) {
      grade.expected += (grade.expected.empty() ? "" : "\n") + text;
    }
    grade.expected = excerpt_lines(grade.expected, kExpectedBytesMax);
  }
  return grade;
}

std::optional<Json> Expectation::value(const Subject& subject, std::string& why) const {
  switch (source) {
    case Source::kNone:
      why = "no expected value is named";
      return std::nullopt;
    case Source::kLiteral:
      return literal;
    case Source::kVariable: {
      const Json& vars = subject.vars();
      const auto found = vars.find(where);
      if (found == vars.end() || found->is_null()) {
        why = fmt::format("the request's metadata.vars has no '{}'", where);
        return std::nullopt;
      }
      if (may_be_empty || !is_blank(*found)) return *found;
      why = fmt::format("no value is expected: '{}' is empty in metadata.vars", where);
      return std::nullopt;
    }
    case Source::kRequest: {
      const Json root = Json::parse(render_request(subject.request), nullptr, false);
      const Json* found = find_at(root, where);
      if (found == nullptr || found->is_null()) {
        why = fmt::format("the request has no {}", where);
        return std::nullopt;
      }
      if (may_be_empty || !is_blank(*found)) return *found;
      why = fmt::format("no value is expected: {} is empty in the request", where);
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::vector<std::string> Expectation::texts(const Subject& subject, std::string& why) const {
  const auto expected = value(subject, why);
  if (!expected) return {};
  if (!expected->is_array()) return {plain_text(*expected)};
  std::vector<std::string> texts;
  const bool takes_blanks = may_be_empty || source == Source::kLiteral;
  for (const Json& one : *expected) {
    if (one.is_null() || (!takes_blanks && is_blank(one))) {
      why = "a value in the list of expected values is empty";
      return {};
    }
    texts.push_back(plain_text(one));
  }
  if (texts.empty()) why = "the list of expected values is empty";
  return texts;
}

void conclude(Evaluation& evaluation, const std::optional<double>& threshold) {
  double sum = 0;
  double weights = 0;
  bool all_passed = true;
  evaluation.score.reset();
  evaluation.passed.reset();
  evaluation.outcome = EvaluationOutcome::kUngraded;
  for (const Grade& grade : evaluation.grades) {
    if (!grade.score) return;
    sum += *grade.score * grade.weight;
    weights += grade.weight;
    all_passed = all_passed && grade.passed.value_or(false);
  }
  if (weights <= 0) return;
  evaluation.outcome = EvaluationOutcome::kGraded;
  evaluation.score = std::clamp(sum / weights, 0.0, 1.0);
  evaluation.passed = threshold ? *evaluation.score >= *threshold : all_passed;
}

}  // namespace filecall::client
