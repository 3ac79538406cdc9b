// SPDX-License-Identifier: MIT
#include "client/turns/script.h"

#include <fmt/core.h>

#include <limits>

#include "client/core/digest.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {
namespace {

std::string complaint_about_part(const Json& part) {
  if (!part.is_object()) return "a part is an object {type, ...}";
  const auto type = part.find("type");
  if (type == part.end() || !type->is_string()) return "a part has a type";
  return {};
}

/// Empty: it is a user's content.
std::string complaint_about_turn(const Json& content) {
  if (content.is_string()) {
    const bool is_blank =
        content.get_ref<const std::string&>().find_first_not_of(" \t\r\n") == std::string::npos;
    return is_blank ? "is empty" : "";
  }
  if (!content.is_array() || content.empty()) return "is neither a text nor a list of parts";
  for (const Json& part : content) {
    if (std::string problem = complaint_about_part(part); !problem.empty()) return problem;
  }
  return {};
}

/// A cell of a table holds its list as text.
Json list_of(const Json& value) {
  if (!value.is_string()) return value;
  auto parsed = parse_json_strict(value.get_ref<const std::string&>(), limits::kDepth);
  return parsed && parsed->is_array() ? *std::move(parsed) : value;
}

Json object_of(const Json& value) {
  if (!value.is_string()) return value;
  if (value.get_ref<const std::string&>().empty()) return Json::object();
  auto parsed = parse_json_strict(value.get_ref<const std::string&>(), limits::kDepth);
  return parsed ? *std::move(parsed) : value;
}

Result<int, std::string> read_rounds(const Json& json) {
  const auto member = json.find("max_tool_rounds");
  if (member == json.end()) return ConversationScript::kToolRounds;
  constexpr int kMax = ConversationScript::kToolRoundsMax;
  const bool is_fit = member->is_number_integer() && *member >= 0 && *member <= kMax;
  if (is_fit) return member->get<int>();
  return Unexpected(fmt::format("max_tool_rounds: must be a number from 0 to {}", kMax));
}

std::string shown_data(const std::string& uri) {
  constexpr std::string_view kData = "data:";
  constexpr std::string_view kBase64 = ";base64,";
  const auto split = uri.find(kBase64);
  if (!uri.starts_with(kData) || split == std::string::npos) return uri;
  return fmt::format("{}, {} bytes of base64, {}", uri.substr(kData.size(), split - kData.size()),
                     uri.size() - split - kBase64.size(), digest_of(uri));
}

}  // namespace

Result<ConversationScript, std::string> read_script(const Json& json, int max_turns) {
  if (!json.is_object()) return Unexpected(std::string("a conversation is an object"));
  ConversationScript script;
  const Json turns = list_of(json.value("turns", Json()));
  if (!turns.is_array() || turns.empty()) {
    return Unexpected(std::string("turns: must be a list of texts, at least one"));
  }
  if (turns.size() > static_cast<std::size_t>(max_turns)) {
    return Unexpected(
        fmt::format("turns: {} of them, more than --max-turns {}; raise it, or shorten the row",
                    turns.size(), max_turns));
  }
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (const std::string problem = complaint_about_turn(turns[i]); !problem.empty()) {
      return Unexpected(fmt::format("turns: turn {}: {}", i + 1, problem));
    }
    script.turns.push_back(turns[i]);
  }
  const Json tools = json.value("tools", Json::object());
  if (!tools.is_object()) return Unexpected(std::string("tools: must be an object"));
  for (const auto& [name, schema] : tools.items()) script.tools.emplace(name, schema);
  script.tool_results = object_of(json.value("tool_results", Json::object()));
  if (script.tool_results.is_null()) script.tool_results = Json::object();
  if (!script.tool_results.is_object()) {
    return Unexpected(std::string("tool_results: must be an object, the results by tool name"));
  }
  TRY_ASSIGN(script.max_tool_rounds, read_rounds(json));
  return script;
}

Result<ConversationScript, std::string> parse_script(const Json& json) {
  return read_script(json, std::numeric_limits<int>::max());
}

Json script_json(const ConversationScript& script) {
  Json json = {{"turns", Json::array()}};
  for (const Json& turn : script.turns) json["turns"].push_back(shown_content(turn));
  for (const auto& [name, schema] : script.tools) json["tools"][name] = schema;
  if (!script.tool_results.empty()) json["tool_results"] = script.tool_results;
  if (script.max_tool_rounds != ConversationScript::kToolRounds) {
    json["max_tool_rounds"] = script.max_tool_rounds;
  }
  return json;
}

Json shown_content(const Json& content) {
  if (content.is_string() && content.get_ref<const std::string&>().starts_with("data:")) {
    return shown_data(content.get_ref<const std::string&>());
  }
  if (!content.is_structured()) return content;
  Json shown = content;
  for (Json& inner : shown) inner = shown_content(inner);
  return shown;
}

std::string content_words(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) return content.is_null() ? std::string() : dump_json(content);
  std::string words;
  for (const Json& part : content) {
    if (!words.empty()) words += '\n';
    const Json text = part.is_object() ? part.value("text", Json()) : Json();
    const Json type = part.is_object() ? part.value("type", Json()) : Json();
    words += text.is_string()   ? text.get<std::string>()
             : type.is_string() ? "[" + type.get<std::string>() + "]"
                                : "[part]";
  }
  return words;
}

}  // namespace filecall::client
