// SPDX-License-Identifier: MIT
#include "client/eval/runner/asking.h"

#include <utility>

namespace filecall::client {

Asking::Asking(const Candidates& candidates, const spool::Root& root, Assessor& assessor,
               EvaluationObserver& observer, const Interruption& interruption)
    : candidates_(candidates),
      assessor_(assessor),
      observer_(observer),
      interruption_(interruption),
      questions_(root.layout()) {}

std::string Asking::id_of(std::size_t at) const {
  const std::size_t succeeded = candidates_.succeeded.size();
  return std::string(at < succeeded ? candidates_.succeeded[at]
                                    : candidates_.given_up[at - succeeded]);
}

Result<Offer> Asking::next() {
  const std::size_t all = candidates_.succeeded.size() + candidates_.given_up.size();
  for (;;) {
    if (error_) return Unexpected(*error_);
    if (auto submission = questions_.take()) return Offer::of(*std::move(submission));
    if (next_ == all || interruption_.is_requested()) return Offer::end();
    TRY(look_at(next_++));
    report();
  }
}

Result<void> Asking::look_at(std::size_t at) {
  const std::string id = id_of(at);
  const bool is_given_up = at >= candidates_.succeeded.size();
  TRY_ASSIGN(Assessment assessment, assessor_.assess(id, is_given_up, nullptr));
  switch (assessment.kind) {
    case Assessment::Kind::kNotSelected:
      ++not_selected_;
      break;
    case Assessment::Kind::kUnfinished:
      ++unfinished_;
      break;
    case Assessment::Kind::kMissing:
      ++missing_;
      break;
    case Assessment::Kind::kAsks:
      ++waiting_;
      questions_.ask(std::make_shared<OpenQuestions::Waiter>(at), std::move(assessment.questions));
      break;
    case Assessment::Kind::kEvaluated:
      observer_.on_evaluated(id, assessment.evaluation, assessment.is_reused);
      break;
  }
  return {};
}

void Asking::on_outcome(const RequestOutcome& outcome) {
  for (const OpenQuestions::WaiterPtr& waiter : questions_.on_outcome(outcome)) finish(waiter);
  report();
}

void Asking::finish(const OpenQuestions::WaiterPtr& waiter) {
  const Assessor::Replies replies = [&](const Question& question) {
    return questions_.reply(*waiter, question);
  };
  const std::string id = id_of(waiter->subject());
  const auto round = waiter->is_second_round ? Assessor::Round::kSecond : Assessor::Round::kFirst;
  auto assessment = assessor_.assess(id, false, &replies, round);
  const bool asks_again = assessment && assessment->kind == Assessment::Kind::kAsks;
  if (asks_again) {
    waiter->is_second_round = true;
    questions_.ask(waiter, std::move(assessment->questions));
    return;
  }
  --waiting_;
  if (!assessment) {
    if (!error_) error_ = assessment.error();
    return;
  }
  if (assessment->kind == Assessment::Kind::kEvaluated) {
    observer_.on_evaluated(id, assessment->evaluation, assessment->is_reused);
  } else {  // Its answer was taken away while a judge looked at it.
    ++(assessment->kind == Assessment::Kind::kMissing ? missing_ : unfinished_);
  }
}

void Asking::report(const std::string& worker) {
  worker_ = worker;
  report();
}

void Asking::report() {
  EvaluationProgress progress;
  progress.candidates = candidates_.total() - candidates_.unfinished;
  progress.looked_at = static_cast<std::int64_t>(next_);
  progress.waiting = waiting_;
  progress.worker = worker_;
  observer_.on_progress(progress);
}

}  // namespace filecall::client
