// SPDX-License-Identifier: MIT
#include "client/turns/conversation.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "ipc/json_member.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

/// What is left of a file's name for the turn and the digest.
constexpr std::size_t kPrefixBytes = 150;
constexpr std::size_t kCallsMax = 32;  // That a model may ask for at once.

std::uint64_t mixed(std::uint64_t seen, const Json& said) {
  return hash64(fmt::format("{:016x}{}", seen, dump_json(said)));
}

/// The messages of a first request: a prompt is one.
Json messages_of(const Json& params) {
  const auto messages = params.find("messages");
  if (messages != params.end() && messages->is_array()) return *messages;
  return Json::array({{{"role", "user"}, {"content", params.value("prompt", Json(""))}}});
}

/// With ids, without which no call can be answered: some servers give none.
Json named_calls(const Json& data, int turn, int round) {
  Json calls = data.is_object() ? data.value("tool_calls", Json::array()) : Json::array();
  if (!calls.is_array()) return Json::array();
  int number = 0;
  for (Json& call : calls) {
    ++number;
    if (!call.is_object()) call = Json::object();
    if (string_member(call, "id").empty())
      call["id"] = fmt::format("call_{}_{}_{}", turn, round, number);
    if (string_member(call, "name").empty()) call["name"] = "unnamed";
    call.erase("arguments_invalid");
  }
  return calls;
}

Json assistant_message(const Json& data, const Json& calls) {
  Json message = {{"role", "assistant"}};
  const std::string text = string_member(data, "text");
  const std::string words = text.empty() ? string_member(data, "refusal") : text;
  message["content"] = words.empty() && !calls.empty() ? Json() : Json(words);
  if (!calls.empty()) message["tool_calls"] = calls;
  return message;
}

}  // namespace

Conversation::Conversation(std::shared_ptr<const ConversationScript> script, std::string first_id,
                           const Json& request)
    : script_(std::move(script)), first_id_(std::move(first_id)), base_(request) {
  CHECK(script_ != nullptr && !script_->turns.empty(), "a conversation has a script");
  seen_ = hash64(first_id_);
  if (!base_.is_null()) messages_ = messages_of(base_["params"]);
  steps_.push_back({.turn = 1, .request_id = first_id_});
  asks_.push_back({first_id_, "llm.chat", base_});
}

std::vector<Conversation::Ask> Conversation::take_asks() { return std::exchange(asks_, {}); }

std::string Conversation::next_id(std::string_view place, std::uint64_t digest) const {
  const std::string round = round_ > 0 ? fmt::format(".r{}", round_) : std::string();
  return fmt::format("{}.t{}{}{}-{:016x}", std::string_view(first_id_).substr(0, kPrefixBytes),
                     turn_, round, place, digest);
}

void Conversation::give_up(std::string reason) {
  if (state_ != State::kGoesOn) return;
  state_ = State::kGaveUp;
  reason_ = fmt::format("turn {}: {}", turn_, reason);
  asks_.clear();
}

void Conversation::add_message(Json message) {
  seen_ = mixed(seen_, shown_content(message));
  if (!messages_.is_null()) messages_.push_back(std::move(message));
}

void Conversation::take(std::string_view request_id, std::shared_ptr<const Response> response) {
  const auto found = std::find_if(steps_.begin(), steps_.end(), [&](const ConversationStep& step) {
    return step.request_id == request_id && !step.has_ended;
  });
  if (state_ != State::kGoesOn || found == steps_.end() || response == nullptr) return;
  found->has_ended = true;
  found->response = std::move(response);
  if (found->kind == ConversationStep::Kind::kModel) return take_answer(*found->response);
  take_tool_answer(*found);
}

void Conversation::take_answer(const Response& response) {
  if (!response.is_success()) return give_up(response.failure->message);
  const Json calls = named_calls(response.data, turn_, round_ + 1);
  const Json message = assistant_message(response.data, calls);
  const bool is_last = turns_left() == 0;
  if (calls.empty() && message["content"] == "" && !is_last) {
    return give_up("the model answered with an empty text, after which no turn can follow");
  }
  add_message(message);
  if (!calls.empty()) return call_tools(calls);
  if (is_last) {
    state_ = State::kEnded;
    return;
  }
  next_turn();
}

void Conversation::call_tools(const Json& calls) {
  if (round_ >= script_->max_tool_rounds) {
    return give_up(fmt::format("the model called tools again after {} rounds (max_tool_rounds)",
                               script_->max_tool_rounds));
  }
  if (calls.size() > kCallsMax) {
    return give_up(
        fmt::format("the model asked for {} calls at once, more than {}", calls.size(), kCallsMax));
  }
  ++round_;
  int number = 0;
  for (const Json& call : calls) {
    const Json arguments = call.value("arguments", Json::object());
    call_tool(
        {string_member(call, "id"), string_member(call, "name"), arguments, arguments.is_string()},
        ++number);
  }
  finish_round();
}

std::size_t Conversation::calls_of(const std::string& tool) const {
  const auto count = std::count_if(steps_.begin(), steps_.end(), [&](const ConversationStep& step) {
    return step.kind == ConversationStep::Kind::kTool && step.call.name == tool;
  });
  return static_cast<std::size_t>(count);
}

void Conversation::call_tool(ToolCallAsked call, int number) {
  ConversationStep step{
      .kind = ConversationStep::Kind::kTool, .turn = turn_, .round = round_, .request_id = {}};
  step.answer = answer_tool_call(*script_, call, calls_of(call.name));
  step.has_ended = !step.answer.params;
  if (step.answer.params) {
    const Json params = *step.answer.params;
    step.request_id = next_id(fmt::format(".c{}", number), mixed(seen_, params));
    Json request;
    if (!base_.is_null()) {
      request = {{"command", "tool.run"}, {"params", params}};
      request["metadata"] = base_.value("metadata", Json::object());
      request["metadata"]["conversation"] = first_id_;
      request["metadata"]["turn"] = turn_;
      request["metadata"]["tool"] = call.name;
    }
    asks_.push_back({step.request_id, "tool.run", std::move(request)});
  }
  step.call = std::move(call);
  steps_.push_back(std::move(step));
}

void Conversation::take_tool_answer(ConversationStep& step) {
  const bool was_cancelled =
      !step.response->is_success() && step.response->failure->code == ErrorCode::kCancelled;
  if (was_cancelled) return give_up(step.call.name + ": " + step.response->failure->message);
  step.answer = read_tool_response(*step.response);
  finish_round();
}

/// Goes on when every call of the round is answered.
void Conversation::finish_round() {
  const auto is_of_round = [this](const ConversationStep& step) {
    return step.kind == ConversationStep::Kind::kTool && step.turn == turn_ && step.round == round_;
  };
  for (const ConversationStep& step : steps_) {
    if (is_of_round(step) && !step.has_ended) return;
  }
  for (const ConversationStep& step : steps_) {
    if (!is_of_round(step)) continue;
    add_message({{"role", "tool"}, {"tool_call_id", step.call.id}, {"content", step.answer.text}});
  }
  ask_model();
}

void Conversation::next_turn() {
  ++turn_;
  round_ = 0;
  add_message({{"role", "user"}, {"content", script_->turns[static_cast<std::size_t>(turn_ - 1)]}});
  ask_model();
}

void Conversation::ask_model() {
  ConversationStep step{.turn = turn_, .round = round_, .request_id = next_id("", seen_)};
  Json request;
  if (!base_.is_null()) {
    request = base_;
    request["params"].erase("prompt");
    request["params"]["messages"] = messages_;
    request["metadata"]["conversation"] = first_id_;
    request["metadata"]["turn"] = turn_;
  }
  asks_.push_back({step.request_id, "llm.chat", std::move(request)});
  steps_.push_back(std::move(step));
}

}  // namespace filecall::client
