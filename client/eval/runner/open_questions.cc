// SPDX-License-Identifier: MIT
#include "client/eval/runner/open_questions.h"

#include <utility>

#include "client/service/last_answer.h"

namespace filecall::client {

void OpenQuestions::ask(const WaiterPtr& waiter, std::vector<Question> questions) {
  for (Question& question : questions) {
    std::vector<WaiterPtr>& waiting = waiters_[question.request_id];
    const bool is_asked = !waiting.empty();
    if (is_asked && waiting.back() == waiter) continue;  // Two graders ask the same.
    ++waiter->left_;
    waiting.push_back(waiter);
    if (is_asked) continue;
    submissions_.push_back(
        {question.request_id, std::move(question.command), std::move(question.bytes)});
  }
}

std::optional<Submission> OpenQuestions::take() {
  if (submissions_.empty()) return std::nullopt;
  Submission submission = std::move(submissions_.front());
  submissions_.pop_front();
  return submission;
}

std::vector<OpenQuestions::WaiterPtr> OpenQuestions::on_outcome(const RequestOutcome& outcome) {
  std::vector<WaiterPtr> ready;
  const auto found = waiters_.find(outcome.request_id);
  if (found == waiters_.end()) return ready;
  const std::vector<WaiterPtr> waiting = std::move(found->second);
  waiters_.erase(found);
  const bool is_given_up = outcome.state != RequestState::kSuccess;
  for (const WaiterPtr& waiter : waiting) {
    waiter->heard_[outcome.request_id] = {is_given_up ? outcome.error_message : "", is_given_up,
                                          is_given_up ? nullptr : outcome.response};
    if (--waiter->left_ == 0) ready.push_back(waiter);
  }
  return ready;
}

Reply OpenQuestions::reply(const Waiter& waiter, const Question& question) const {
  if (const auto found = waiter.heard_.find(question.request_id); found != waiter.heard_.end()) {
    const Waiter::Heard& heard = found->second;
    if (heard.is_given_up) return {.problem = heard.problem, .is_given_up = true};
    if (heard.response) return {.response = *heard.response};
  }
  auto response = last_response(layout_, question.request_id, RequestState::kSuccess);
  if (!response && response.error().code == ErrorCode::kNotFound) {
    return {.problem = "its response was removed"};
  }
  if (!response) return {.problem = response.error().message};
  return {.response = std::move(*response)};
}

}  // namespace filecall::client
