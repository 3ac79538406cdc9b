// SPDX-License-Identifier: MIT
#include "client/eval/runner/asking.h"

#include <fmt/core.h>

#include <utility>

#include "client/service/last_answer.h"

namespace filecall::client {

Asking::Asking(const Candidates& candidates, const spool::Root& root, Assessor& assessor,
               EvaluationObserver& observer, const Interruption& interruption)
    : candidates_(candidates),
      root_(root),
      assessor_(assessor),
      observer_(observer),
      interruption_(interruption) {}

Result<Offer> Asking::next() {
  const std::size_t succeeded = candidates_.succeeded.size();
  const std::size_t all = succeeded + candidates_.given_up.size();
  while (submissions_.empty() && next_ < all && !interruption_.is_requested() && !error_) {
    const std::size_t at = next_++;
    const bool is_given_up = at >= succeeded;
    const std::string id(is_given_up ? candidates_.given_up[at - succeeded]
                                     : candidates_.succeeded[at]);
    TRY(look_at(id, is_given_up));
    report();
  }
  if (error_) return Unexpected(*error_);
  if (submissions_.empty()) return Offer::end();
  Submission submission = std::move(submissions_.front());
  submissions_.pop_front();
  return Offer::of(std::move(submission));
}

Result<void> Asking::look_at(std::string_view id, bool is_given_up) {
  TRY_ASSIGN(Assessment assessment, assessor_.assess(id, is_given_up, nullptr));
  switch (assessment.kind) {
    case Assessment::Kind::kNotSelected:
      ++not_selected_;
      break;
    case Assessment::Kind::kUnfinished:
      ++unfinished_;
      break;
    case Assessment::Kind::kAsks: {
      auto waiter = std::make_shared<Waiter>();
      waiter->id = std::string(id);
      ++waiting_;
      wait_for(waiter, std::move(assessment.questions));
      break;
    }
    case Assessment::Kind::kEvaluated:
      observer_.on_evaluated(id, assessment.evaluation, assessment.is_reused);
      break;
  }
  return {};
}

void Asking::wait_for(const std::shared_ptr<Waiter>& waiter, std::vector<Question> questions) {
  for (Question& question : questions) {
    auto& waiting = waiters_[question.request_id];
    const bool is_asked = !waiting.empty();
    if (is_asked && waiting.back() == waiter) continue;  // Two graders ask the same.
    ++waiter->left;
    waiting.push_back(waiter);
    if (is_asked) continue;
    submissions_.push_back(
        {question.request_id, std::move(question.command), std::move(question.bytes)});
  }
}

void Asking::on_outcome(const RequestOutcome& outcome) {
  const auto found = waiters_.find(outcome.request_id);
  if (found == waiters_.end()) return;
  const auto waiting = std::move(found->second);
  waiters_.erase(found);
  for (const auto& waiter : waiting) {
    if (outcome.state != RequestState::kSuccess) {
      waiter->problems[outcome.request_id] = outcome.error_message;
    } else if (outcome.response) {
      waiter->answers[outcome.request_id] = outcome.response;
    }
    if (--waiter->left == 0) finish(waiter);
  }
  report();
}

Reply Asking::reply_to(const Question& question, const Waiter& waiter) const {
  if (const auto problem = waiter.problems.find(question.request_id);
      problem != waiter.problems.end()) {
    return {.problem = problem->second, .is_given_up = true};
  }
  if (const auto known = waiter.answers.find(question.request_id); known != waiter.answers.end()) {
    return {.response = *known->second};
  }
  auto response = last_response(root_.layout(), question.request_id, RequestState::kSuccess);
  if (!response && response.error().code == ErrorCode::kNotFound) {
    return {.problem = "its response was removed"};
  }
  if (!response) return {.problem = response.error().message};
  return {.response = std::move(*response)};
}

void Asking::finish(const std::shared_ptr<Waiter>& waiter) {
  const Assessor::Replies replies = [&](const Question& question) {
    return reply_to(question, *waiter);
  };
  auto assessment = assessor_.assess(waiter->id, false, &replies, waiter->round);
  const bool asks_again = assessment && assessment->kind == Assessment::Kind::kAsks;
  if (asks_again) {
    waiter->round = Assessor::Round::kSecond;
    wait_for(waiter, std::move(assessment->questions));
    return;
  }
  --waiting_;
  if (!assessment) {
    if (!error_) error_ = assessment.error();
    return;
  }
  if (assessment->kind == Assessment::Kind::kEvaluated) {
    observer_.on_evaluated(waiter->id, assessment->evaluation, assessment->is_reused);
  } else {
    ++unfinished_;  // Its answer was taken away while a judge looked at it.
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
