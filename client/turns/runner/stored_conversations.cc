// SPDX-License-Identifier: MIT
#include "client/turns/runner/stored_conversations.h"

#include <utility>

#include "base/check.h"
#include "client/service/conversation_look.h"
#include "client/turns/runner/conversation_run.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {
namespace {

std::shared_ptr<const Response> guessed_answer() {
  auto response = std::make_shared<Response>();
  response->data = {{"text", "(the answer)"}, {"finish_reason", "stop"}};
  return response;
}

}  // namespace

Result<Offer> StoredConversations::next() {
  if (ready_.empty()) {
    TRY_ASSIGN(Offer offer, batch_->next());
    if (offer.kind != Offer::Kind::kSubmission || batch_->conversation().empty()) return offer;
    TRY(walk(std::move(offer.submission)));
  }
  Submission submission = std::move(ready_.front());
  ready_.pop_front();
  return Offer::of(std::move(submission));
}

Result<void> StoredConversations::walk(Submission first) {
  ++conversations_;
  const auto json = parse_json_strict(batch_->conversation(), limits::kDepthMax);
  auto request = parse_json_strict(first.bytes, limits::kDepthMax);
  CHECK(json && request, "a batch makes its requests itself");
  auto script = parse_script(*json);
  CHECK(script.has_value(), "a batch checks its conversations");
  request->erase("request_id");
  Conversation conversation(std::make_shared<ConversationScript>(std::move(*script)),
                            first.request_id, *request);
  conversation.take_asks();
  std::string id = first.request_id;
  ready_.push_back(std::move(first));
  for (std::size_t at = 0;; ++at) {
    const auto stored = stored_answer(layout_, id);
    if (stored) {
      auto response = parse_response(stored->bytes, id);
      if (!response) return {};
      conversation.take(id, std::make_shared<const Response>(std::move(*response)));
    } else if (guesses_) {
      conversation.take(id, guessed_answer());
    }
    for (const Conversation::Ask& ask : conversation.take_asks()) {
      ready_.push_back(submission_of(ask));
    }
    if (at + 1 >= ready_.size()) return {};
    id = ready_[at + 1].request_id;
  }
}

}  // namespace filecall::client
