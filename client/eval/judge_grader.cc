// SPDX-License-Identifier: MIT
#include "client/eval/judge_grader.h"

#include <utility>

#include "client/eval/judge_verdict.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

/// Of a judge's own words, in the record.
constexpr std::size_t kJudgeReasonBytesMax = 1000;

class JudgeGrader final : public Grader {
 public:
  JudgeGrader(GraderSettings settings, JudgeRule rule)
      : Grader(std::move(settings)), rule_(std::move(rule)), prompt_(prompt_of(rule_)) {}

  std::vector<Question> ask(const Subject& subject) const override {
    std::string why;
    JudgeCase judged;
    const auto answer = answer_text(subject, settings().at);
    if (!answer || !has_reference(subject, why)) return {};
    judged.task = task_text(subject.request);
    judged.answer = *answer;
    if (const auto reference = rule_.reference.value(subject, why)) {
      judged.reference = plain_text(*reference);
    }
    std::vector<Question> questions;
    for (const Judge& judge : rule_.judges) {
      Json params = judge.params;
      params["messages"] = prompt_.messages(judged);
      if (rule_.is_structured) params["response_format"] = prompt_.response_format();
      questions.push_back(make_question("llm.chat", std::move(params), "judge " + judge.name));
    }
    return questions;
  }

 private:
  /// True when none is needed.
  bool has_reference(const Subject& subject, std::string& why) const {
    return rule_.reference.source == Expectation::Source::kNone ||
           rule_.reference.value(subject, why).has_value();
  }

  Judgement judge(const Subject& subject, std::span<const Reply> replies) const override {
    std::string why;
    if (!answer_text(subject, settings().at)) {
      return Judgement::of(false, "the answer has no " + settings().at);
    }
    if (!has_reference(subject, why)) return Judgement::none(why);
    std::vector<JudgeVerdict> verdicts;
    for (const Reply& reply : replies) verdicts.push_back(read_verdict(reply, rule_.scale));
    if (verdicts.size() != rule_.judges.size()) return Judgement::none("the judges were not asked");
    Judgement judgement = vote(verdicts, rule_.scale);
    const auto questions = ask(subject);
    Json said = Json::array();
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      const JudgeVerdict& verdict = verdicts[i];
      Json one = {{"judge", rule_.judges[i].name},
                  {"request_id", questions[i].request_id},
                  {"verdict", verdict.score ? Json(verdict.said) : Json()},
                  {"reason", excerpt(verdict.reason, kJudgeReasonBytesMax)}};
      if (!verdict.model.empty()) one["model"] = verdict.model;
      said.push_back(std::move(one));
    }
    judgement.details = {{"prompt_digest", prompt_.digest()}, {"judges", std::move(said)}};
    return judgement;
  }

  JudgeRule rule_;
  JudgePrompt prompt_;
};

}  // namespace

JudgePrompt prompt_of(const JudgeRule& rule) { return {rule.criteria, rule.scale}; }

std::unique_ptr<Grader> make_judge_grader(GraderSettings settings, JudgeRule rule) {
  return std::make_unique<JudgeGrader>(std::move(settings), std::move(rule));
}

}  // namespace filecall::client
