// SPDX-License-Identifier: MIT
#include "client/turns/transcript.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace filecall::client {
namespace {

Json call_json(const ConversationStep& step) {
  Json json = {{"name", step.call.name}, {"arguments", step.call.arguments}};
  if (!step.request_id.empty()) json["request_id"] = step.request_id;
  if (!step.has_ended) return json;
  json["result"] = step.answer.text;
  if (step.answer.is_error) json["is_error"] = true;
  return json;
}

void take_model_step(const ConversationStep& step, Json& turn) {
  turn["request_id"] = step.request_id;
  if (step.response == nullptr) return;
  if (!step.response->is_success()) {
    turn["error"] = step.response->failure->message;
    return;
  }
  const Json& data = step.response->data;
  for (const auto& [from, to] : {std::pair("text", "answer"), {"finish_reason", "finish_reason"}}) {
    const Json value = data.is_object() ? data.value(from, Json()) : Json();
    if (value.is_string()) turn[to] = value;
  }
  const Json refusal = data.is_object() ? data.value("refusal", Json()) : Json();
  if (turn.value("answer", Json("")) == "" && refusal.is_string()) turn["answer"] = refusal;
}

std::string text_of_member(const Json& json, const char* name) {
  const Json value = json.is_object() ? json.value(name, Json()) : Json();
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace

Json transcript_of(const Conversation& conversation) {
  Json turns = Json::array();
  for (const ConversationStep& step : conversation.steps()) {
    if (turns.size() < static_cast<std::size_t>(step.turn)) {
      const Json& content = conversation.script().turns[turns.size()];
      turns.push_back({{"turn", step.turn}, {"user", content_words(shown_content(content))}});
    }
    Json& turn = turns.back();
    if (step.kind == ConversationStep::Kind::kTool) {
      turn["tool_calls"].push_back(call_json(step));
    } else {
      take_model_step(step, turn);
    }
  }
  const bool is_given_up = conversation.state() == Conversation::State::kGaveUp;
  if (is_given_up && !turns.back().contains("error")) turns.back()["error"] = conversation.reason();
  return turns;
}

std::string transcript_text(const Json& transcript) {
  std::string out;
  const auto add = [&out](std::string_view who, const std::string& text) {
    out += fmt::format("{}[{}]\n{}", out.empty() ? "" : "\n\n", who, text);
  };
  if (!transcript.is_array()) return out;
  for (const Json& turn : transcript) {
    add("user", text_of_member(turn, "user"));
    const Json calls = turn.is_object() ? turn.value("tool_calls", Json::array()) : Json::array();
    for (const Json& call : calls) {
      const Json arguments = call.is_object() ? call.value("arguments", Json()) : Json();
      add("tool " + text_of_member(call, "name"),
          dump_json(arguments) + "\n-> " + text_of_member(call, "result"));
    }
    if (turn.contains("answer")) add("assistant", text_of_member(turn, "answer"));
    if (turn.contains("error")) add("error", text_of_member(turn, "error"));
  }
  return out;
}

std::string transcript_question(const Json& transcript) {
  std::string out;
  if (!transcript.is_array()) return out;
  for (const Json& turn : transcript) {
    out += (out.empty() ? "" : "\n\n") + text_of_member(turn, "user");
  }
  return out;
}

ConversationCounts count_steps(const Conversation& conversation) {
  ConversationCounts counts;
  int answered = 0;
  for (const ConversationStep& step : conversation.steps()) {
    if (step.kind == ConversationStep::Kind::kTool) {
      ++counts.tool_calls;
      if (step.has_ended && step.answer.is_error) ++counts.tool_errors;
    }
    answered = std::max(answered, step.turn - 1);
  }
  const bool has_ended = conversation.state() == Conversation::State::kEnded;
  counts.turns = has_ended ? conversation.turn() : answered;
  return counts;
}

}  // namespace filecall::client
