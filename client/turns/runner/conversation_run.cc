// SPDX-License-Identifier: MIT
#include "client/turns/runner/conversation_run.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "client/service/last_answer.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {

Submission submission_of(const Conversation::Ask& ask) {
  Json request = ask.request;
  request["request_id"] = ask.request_id;
  Submission submission;
  submission.request_id = ask.request_id;
  submission.command = ask.command;
  submission.bytes = dump_json(request) + "\n";
  return submission;
}

Result<Offer> ConversationRun::next() {
  if (ready_.empty() && !is_exhausted_) {
    TRY_ASSIGN(Offer offer, batch_.next());
    if (offer.kind == Offer::Kind::kNotYet || offer.kind == Offer::Kind::kNextTurn) return offer;
    is_exhausted_ = offer.kind == Offer::Kind::kEnd;
    if (!is_exhausted_ && batch_.conversation().empty()) return offer;
    if (!is_exhausted_) TRY(begin(std::move(offer.submission)));
  }
  if (!ready_.empty()) {
    Submission submission = std::move(ready_.front());
    ready_.pop_front();
    return Offer::of(std::move(submission));
  }
  return waiting_.empty() ? Offer::end() : Offer::not_yet();
}

Result<void> ConversationRun::begin(Submission first) {
  auto json = parse_json_strict(batch_.conversation(), limits::kDepthMax);
  CHECK(json.has_value(), "a batch makes its conversations itself");
  auto script = parse_script(*json);
  CHECK(script.has_value(), "a batch checks its conversations");
  auto request = parse_json_strict(first.bytes, limits::kDepthMax);
  CHECK(request.has_value(), "a batch makes its requests itself");
  request->erase("request_id");
  has_conversations_ = true;
  auto active = std::make_shared<Active>(Conversation(
      std::make_shared<ConversationScript>(std::move(*script)), first.request_id, *request));
  active->conversation.take_asks();  // The first one is there as the batch made it.
  waiting_[first.request_id] = std::move(active);
  ready_.push_back(std::move(first));
  return {};
}

void ConversationRun::ask(const Shared& active) {
  for (const Conversation::Ask& one : active->conversation.take_asks()) {
    waiting_[one.request_id] = active;
    ready_.push_back(submission_of(one));
  }
}

void ConversationRun::on_outcome(const RequestOutcome& outcome) {
  const auto found = waiting_.find(outcome.request_id);
  if (found == waiting_.end()) return observer_.on_outcome(outcome);
  const Shared active = std::move(found->second);
  waiting_.erase(found);
  active->attempts += std::max(0, outcome.attempts - 1);
  active->latency_ms += outcome.latency_ms;
  advance(active, outcome);
}

void ConversationRun::advance(const Shared& active, const RequestOutcome& outcome) {
  Conversation& conversation = active->conversation;
  const bool was_over = conversation.state() != Conversation::State::kGoesOn;
  const int turns_left = conversation.turns_left();
  const bool is_success = outcome.state == RequestState::kSuccess;
  auto response = outcome.response != nullptr
                      ? outcome.response
                      : std::make_shared<const Response>(final_response(layout_, outcome));
  if (is_success && !response->is_success()) {
    conversation.give_up(response->failure->message);
  } else {
    conversation.take(outcome.request_id, std::move(response));
  }
  const bool is_given_up = conversation.state() == Conversation::State::kGaveUp;
  const bool is_tool = outcome.command == "tool.run";
  // A further failure of a conversation that is over changes nothing: it is counted once.
  conversations_.on_step(outcome, !is_success && is_tool && (!is_given_up || was_over));
  const std::size_t before = ready_.size();
  ask(active);
  // Turns of the script were counted from the beginning; the calls of tools were not.
  auto added = static_cast<std::int64_t>(ready_.size() - before);
  if (conversation.turns_left() < turns_left) --added;
  if (is_given_up && !was_over) added -= conversation.turns_left();
  if (added != 0) conversations_.on_requests_added(added);
  if (was_over || conversation.state() == Conversation::State::kGoesOn) return;
  conversations_.on_conversation(
      {conversation, count_steps(conversation), active->attempts, active->latency_ms}, outcome);
}

}  // namespace filecall::client
