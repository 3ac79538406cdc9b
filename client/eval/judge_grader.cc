// SPDX-License-Identifier: MIT
#include "client/eval/judge_grader.h"

#include <utility>

#include "client/eval/judge_verdict.h"

namespace filecall::client {
namespace {

class JudgeGrader final : public Grader {
 public:
  JudgeGrader(GraderSettings settings, JudgeRule rule)
      : Grader(std::move(settings)), rule_(std::move(rule)), prompt_(prompt_of(rule_)) {}

  std::vector<Question> ask(const Subject& subject) const override {
    std::string why;
    const auto judged = case_of(subject, why);
    if (!judged) return {};
    std::vector<Question> questions;
    for (const Judge& judge : rule_.judges) questions.push_back(question(judge, *judged, false));
    return questions;
  }

  std::vector<Question> ask_again(const Subject& subject,
                                  std::span<const Reply> replies) const override {
    std::string why;
    const auto judged = case_of(subject, why);
    if (!judged || replies.size() != rule_.judges.size()) return {};
    const std::vector<std::string> texts = judged->texts();
    std::vector<Question> questions;
    for (std::size_t i = 0; i < replies.size(); ++i) {
      if (!read_verdict(replies[i], rule_.scale, texts).is_unreadable) continue;
      questions.push_back(question(rule_.judges[i], *judged, true));
    }
    return questions;
  }

 protected:
  const Expectation* expectation() const override {
    return rule_.reference.source == Expectation::Source::kNone ? nullptr : &rule_.reference;
  }

 private:
  Question question(const Judge& judge, const JudgeCase& judged, bool again) const {
    const auto structured = rule_.is_structured ? std::optional(rule_.scale) : std::nullopt;
    return question_for(judge, prompt_.messages(judged, again), structured, again);
  }

  /// nullopt: nothing can be asked, and `why` says why.
  std::optional<JudgeCase> case_of(const Subject& subject, std::string& why) const {
    JudgeCase judged;
    const auto answer = answer_text(subject, settings().at);
    if (!answer) {
      why = "the answer has no " + settings().at;
      return std::nullopt;
    }
    judged.task = task_text(request_without_calls(subject));
    judged.calls = judged_calls(subject, settings().turn);
    judged.answer = *answer;
    if (rule_.reference.source != Expectation::Source::kNone) {
      const auto reference = rule_.reference.value(subject, why);
      if (!reference) return std::nullopt;
      judged.reference = plain_text(*reference);
    }
    auto columns = columns_for(rule_.columns, subject, why);
    if (!columns) return std::nullopt;
    judged.columns = *std::move(columns);
    return judged;
  }

  Judgement judge(const Subject& subject, std::span<const Reply> replies) const override {
    if (!answer_text(subject, settings().at)) {
      return Judgement::of(false, "the answer has no " + settings().at);
    }
    std::string why;
    const auto judged = case_of(subject, why);
    if (!judged) return Judgement::none(why);
    const std::size_t count = rule_.judges.size();
    if (replies.size() < count) return Judgement::none("the judges were not asked");
    const std::vector<std::string> texts = judged->texts();
    std::span<const Reply> second = replies.subspan(count);
    std::vector<JudgeVerdict> verdicts;
    Json said = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
      const Judge& judge = rule_.judges[i];
      JudgeVerdict verdict = read_verdict(replies[i], rule_.scale, texts);
      std::string second_id;
      const Reply* again = nullptr;
      if (verdict.is_unreadable && !second.empty()) {
        again = &second.front();
        second = second.subspan(1);
        second_id = question(judge, *judged, true).request_id;
        verdict = read_verdict(*again, rule_.scale, texts);
        if (!verdict.score) verdict.reason = "asked twice: " + verdict.reason;
      }
      said.push_back(judge_record(judge, verdict, question(judge, *judged, false).request_id,
                                  &replies[i], second_id, again));
      verdict.judge = judge.name;
      verdicts.push_back(std::move(verdict));
    }
    Judgement judgement = vote(verdicts, rule_.scale, rule_.combine);
    if (!judgement.details.is_object()) judgement.details = Json::object();
    judgement.details["prompt_digest"] = prompt_.digest();
    judgement.details["scale"] = scale_text(rule_.scale);
    judgement.details["judges"] = std::move(said);
    return judgement;
  }

  JudgeRule rule_;
  JudgePrompt prompt_;
};

}  // namespace

JudgePrompt prompt_of(const JudgeRule& rule) { return {rule.text, rule.scale}; }

std::unique_ptr<Grader> make_judge_grader(GraderSettings settings, JudgeRule rule) {
  return std::make_unique<JudgeGrader>(std::move(settings), std::move(rule));
}

}  // namespace filecall::client
