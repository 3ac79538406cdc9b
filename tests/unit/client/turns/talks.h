// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/turns/conversation.h"

namespace filecall::client {

inline std::shared_ptr<const ConversationScript> script_of(const Json& json) {
  auto script = parse_script(json);
  return script ? std::make_shared<const ConversationScript>(std::move(*script)) : nullptr;
}

inline std::shared_ptr<const Response> spoken(const std::string& text) {
  Response response;
  response.data = {{"text", text}, {"tool_calls", Json::array()}, {"finish_reason", "stop"}};
  return std::make_shared<const Response>(std::move(response));
}

/// A model that calls tools: {name, arguments} each.
inline std::shared_ptr<const Response> called(
    const std::vector<std::pair<std::string, Json>>& all) {
  Response response;
  response.data = {{"text", ""}, {"finish_reason", "tool_calls"}, {"tool_calls", Json::array()}};
  int number = 0;
  for (const auto& [name, arguments] : all) {
    response.data["tool_calls"].push_back(
        {{"id", "c" + std::to_string(++number)}, {"name", name}, {"arguments", arguments}});
  }
  return std::make_shared<const Response>(std::move(response));
}

inline std::shared_ptr<const Response> printed(const std::string& text, int exit_code = 0) {
  Response response;
  response.data = {{"stdout", text}, {"stderr", ""}, {"exit_code", exit_code}, {"signal", nullptr}};
  return std::make_shared<const Response>(std::move(response));
}

inline std::shared_ptr<const Response> failed_with(ErrorCode code, const std::string& message) {
  Response response;
  response.failure.emplace();
  response.failure->code = code;
  response.failure->message = message;
  return std::make_shared<const Response>(std::move(response));
}

inline const Json kFirstRequest = {{"command", "llm.chat"},
                                   {"params", {{"model", "m"}, {"prompt", "one"}}},
                                   {"metadata", {{"item", "fr"}, {"repeat", 1}}}};

inline Conversation talk(const Json& script) {
  return Conversation(script_of(script), "fr-0123456789abcdef", kFirstRequest);
}

}  // namespace filecall::client
