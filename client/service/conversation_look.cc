// SPDX-License-Identifier: MIT
#include "client/service/conversation_look.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "client/core/digest.h"

namespace filecall::client {
namespace {

constexpr const char* kMember = "conversation";

const Json* conversation_of(const Json& metadata) {
  const auto found = metadata.is_object() ? metadata.find(kMember) : metadata.end();
  return metadata.is_object() && found != metadata.end() ? &*found : nullptr;
}

/// Adds what one of its requests has used.
void add_entry(const RequestEntry& part, RequestEntry& whole) {
  whole.attempts += std::max(0, part.attempts - 1);
  whole.queued_ms += part.queued_ms;
  whole.run_ms += part.run_ms;
  whole.spend += part.spend;
  whole.is_collected = whole.is_collected || part.is_collected;
  whole.updated_at = std::max(whole.updated_at, part.updated_at);
  if (part.finished_at) {
    whole.finished_at = std::max(whole.finished_at.value_or(WallTime{}), *part.finished_at);
  }
}

/// `last`: the request that was looked at last. `pending`: one that has not ended.
void take_state(const ConversationLook& look, const RequestEntry& last,
                const std::optional<RequestState>& pending, RequestEntry& whole) {
  const Conversation& conversation = look.conversation;
  switch (conversation.state()) {
    case Conversation::State::kEnded:
      whole.state = RequestState::kSuccess;
      whole.error_code.reset();
      return;
    case Conversation::State::kGaveUp: {
      whole.state = RequestState::kGaveUp;
      const bool is_of_request = last.state == RequestState::kGaveUp && last.error_code;
      whole.error_code =
          is_of_request ? last.error_code : std::optional(ErrorCode::kFailedPrecondition);
      whole.error_message = conversation.reason();
      return;
    }
    case Conversation::State::kGoesOn:
      break;
  }
  // Without an answer that was there nobody can say how it went on: a report calls it missing.
  const bool is_missing = whole.is_collected || !look.lost.empty();
  whole.state = is_missing ? RequestState::kSuccess : pending.value_or(RequestState::kNew);
  if (!is_missing) whole.finished_at.reset();
}

}  // namespace

bool begins_conversation(const Json& metadata) {
  const Json* member = conversation_of(metadata);
  return member != nullptr && member->is_object();
}

bool is_within_conversation(const Json& metadata) {
  const Json* member = conversation_of(metadata);
  return member != nullptr && member->is_string();
}

std::optional<LastAnswer> stored_answer(const spool::Layout& layout, const std::string& id) {
  auto answer = last_answer(layout, id, RequestState::kSuccess);
  const auto response = answer ? parse_response(answer->bytes, id)
                               : Result<Response>(fail(ErrorCode::kNotFound, "no answer"));
  if (response && response->is_success()) return std::move(*answer);
  auto failed = last_answer(layout, id, RequestState::kGaveUp);
  // An error response without a copy in failed/ is retried yet.
  if (!failed || failed->path != layout.failed(id)) return std::nullopt;
  return std::move(*failed);
}

Result<ConversationLook> look_at_conversation(const std::string& first_id, const Json& metadata,
                                              const AnswerOf& answer_of) {
  const Json* json = conversation_of(metadata);
  auto script = parse_script(json == nullptr ? Json() : *json);
  if (!script) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: the run's list has no conversation: {}", first_id, script.error()));
  }
  ConversationLook look(
      Conversation(std::make_shared<ConversationScript>(std::move(*script)), first_id, Json()));
  std::vector<Conversation::Ask> asks = look.conversation.take_asks();
  Digest digest;
  for (std::size_t at = 0; at < asks.size(); ++at) {
    const std::string id = asks[at].request_id;
    TRY_ASSIGN(auto answer, answer_of(id));
    if (!answer) continue;
    auto response = parse_response(answer->bytes, id);
    if (!response) {
      look.lost = fmt::format("{}: {}", id, response.error().message);
      continue;
    }
    digest.add(answer->bytes);
    if (asks[at].command == "llm.chat") {
      look.last_id = id;
      look.last_bytes = std::move(answer->bytes);
    }
    look.conversation.take(id, std::make_shared<const Response>(std::move(*response)));
    for (Conversation::Ask& ask : look.conversation.take_asks()) asks.push_back(std::move(ask));
  }
  if (!look.last_id.empty()) look.digest = digest.finish();
  return look;
}

Result<ConversationEntry> conversation_entry(Ledger& ledger, const spool::Layout& layout,
                                             const std::string& first_id, const Json& metadata) {
  RequestEntry whole;
  RequestEntry last;
  std::optional<RequestState> pending;
  bool is_first = true;
  std::string lost;
  std::map<std::string, Spend, std::less<>> spends;
  const auto answer_of = [&](const std::string& id) -> Result<std::optional<LastAnswer>> {
    TRY_ASSIGN(auto entry, ledger.find(id));
    last = std::move(entry).value_or(RequestEntry());
    last.request_id = id;
    spends[id] = last.spend;
    if (std::exchange(is_first, false)) {
      whole = last;
    } else {
      add_entry(last, whole);
    }
    if (!is_final(last.state) && !pending) pending = last.state;
    if (!is_final(last.state) || last.is_collected) return std::optional<LastAnswer>();
    auto answer = last_answer(layout, id, last.state);
    if (answer) return std::optional(std::move(*answer));
    if (answer.error().code != ErrorCode::kNotFound) return Unexpected(answer.error());
    lost = fmt::format("{}: its answer is gone", id);
    return std::optional<LastAnswer>();
  };
  TRY_ASSIGN(ConversationLook look, look_at_conversation(first_id, metadata, answer_of));
  if (look.lost.empty()) look.lost = lost;
  look.spends = std::move(spends);
  whole.request_id = first_id;
  whole.command = "llm.chat";
  take_state(look, last, pending, whole);
  return ConversationEntry{std::move(whole), std::make_shared<ConversationLook>(std::move(look))};
}

}  // namespace filecall::client
