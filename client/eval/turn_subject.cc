// SPDX-License-Identifier: MIT
#include "client/eval/turn_subject.h"

#include <fmt/core.h>

#include <utility>

namespace filecall::client {
namespace {

std::string text_of_turn(const Json& turn) {
  const Json text = turn.is_object() ? turn.value("answer", Json()) : Json();
  return text.is_string() ? text.get<std::string>() : std::string();
}

/// What was asked up to the answer of a turn: everything from the user's next turn on is cut off,
/// and the answer itself.
Json request_params_up_to(const Json& params, std::size_t turns_after) {
  const auto found = params.find("messages");
  if (found == params.end() || !found->is_array()) return params;
  Json cut = params;
  Json& messages = cut["messages"];
  while (turns_after > 0 && !messages.empty()) {
    if (messages.back().value("role", Json()) == "user") --turns_after;
    messages.erase(messages.size() - 1);
  }
  if (!messages.empty() && messages.back().value("role", Json()) == "assistant") {
    messages.erase(messages.size() - 1);
  }
  return cut;
}

const Json* turn_of(const Subject& subject, int turn) {
  const auto& turns = subject.turns;
  if (!turns.is_array() || turn < 1 || static_cast<std::size_t>(turn) > turns.size()) {
    return nullptr;
  }
  return &turns[static_cast<std::size_t>(turn - 1)];
}

void add_calls(const Json& turn, Json& calls) {
  const Json found = turn.is_object() ? turn.value("tool_calls", Json()) : Json();
  if (!found.is_array()) return;
  for (const Json& call : found) calls.push_back(call);
}

}  // namespace

Result<Subject, std::string> subject_of_turn(const Subject& subject, int turn) {
  const bool is_talk = subject.turns.is_array() && !subject.turns.empty();
  const auto last = is_talk ? static_cast<int>(subject.turns.size()) : 1;
  if (turn == kLastTurn || turn == last) return subject;
  if (turn == kAllTurns) {
    if (!is_talk) return subject;
    std::string all;
    for (const Json& one : subject.turns) {
      const std::string text = text_of_turn(one);
      all += (all.empty() ? "" : "\n\n") + text;
    }
    Subject whole = subject;
    whole.data = {{"text", std::move(all)}};
    return whole;
  }
  const Json* const one = turn_of(subject, turn);
  if (one == nullptr) {
    return Unexpected(fmt::format("the conversation has no turn {}, it has {}", turn, last));
  }
  Subject earlier = subject;
  earlier.data = {{"text", text_of_turn(*one)}};
  if (one->contains("finish_reason")) earlier.data["finish_reason"] = one->at("finish_reason");
  earlier.request.params =
      request_params_up_to(subject.request.params, static_cast<std::size_t>(last - turn));
  return earlier;
}

Json tool_calls_of(const Subject& subject, int turn) {
  Json calls = Json::array();
  if (!subject.turns.is_array()) {
    add_calls(subject.data, calls);
  } else if (turn == kAllTurns) {
    for (const Json& one : subject.turns) add_calls(one, calls);
  } else if (!subject.turns.empty()) {
    const Json* const one = turn == kLastTurn ? &subject.turns.back() : turn_of(subject, turn);
    if (one != nullptr) add_calls(*one, calls);
  }
  return calls;
}

}  // namespace filecall::client
