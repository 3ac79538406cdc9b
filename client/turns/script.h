// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// What a conversation is to be: the user's turns, and how calls of tools are answered. Immutable
/// once made. Its JSON form lies in the list of a run, so that a conversation can be read without
/// the input that it was made of.
struct ConversationScript {
  static constexpr int kToolRounds = 8;  ///< Where nothing else is said.
  static constexpr int kToolRoundsMax = 100;

  /// Contents of the user's messages: texts, or lists of parts. The first one stands in the first
  /// request. At least one.
  std::vector<Json> turns;
  /// Tools that `tool.run` answers, by name: the JSON Schemas of their arguments.
  std::map<std::string, Json> tools{};
  /// Answers of tools that the row has, by name: a value for each call, a list of values for one
  /// call after the other, or a list of {when, result}. An object.
  Json tool_results = Json::object();
  int max_tool_rounds = kToolRounds;  ///< Of one turn.
};

/// Pure, as all here. The string says what is wrong. `max_turns`: more are refused.
Result<ConversationScript, std::string> read_script(const Json& json, int max_turns);
/// Reads what script_json() made, without a limit of turns. Failure: it is none of that.
Result<ConversationScript, std::string> parse_script(const Json& json);
/// Contents of turns are shown_content() of what they are.
Json script_json(const ConversationScript& script);

/// A message's content with each data URI replaced by its media type, size and digest: as lists
/// and ids have it. The same again is the same.
Json shown_content(const Json& content);
/// For people: texts, and a word for each part that is none.
std::string content_words(const Json& content);

}  // namespace filecall::client
