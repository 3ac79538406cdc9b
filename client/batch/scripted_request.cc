// SPDX-License-Identifier: MIT
#include "client/batch/scripted_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/nearest.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

constexpr const char* kScriptMembers[] = {"turns", "tool_results", "max_tool_rounds"};

void take_members(Json& from, Json& conversation) {
  for (const char* name : kScriptMembers) {
    const auto found = from.find(name);
    if (found == from.end()) continue;
    conversation[name] = std::move(*found);
    from.erase(found);
  }
}

Json* last_user_message(Json& params) {
  const auto messages = params.find("messages");
  if (messages == params.end() || !messages->is_array() || messages->empty()) return nullptr;
  Json& last = messages->back();
  return last.is_object() && last.value("role", Json()) == "user" ? &last : nullptr;
}

/// A cell of a table has its list as text; what is no list is left to read_script().
Json turns_of(const Json& conversation) {
  Json turns = conversation.value("turns", Json::array());
  if (turns.is_string()) {
    Json parsed = Json::parse(turns.get_ref<const std::string&>(), nullptr, false);
    if (parsed.is_array()) return parsed;
  }
  return turns;
}

Json function_of(const WorkerTool& tool) {
  Json function = {{"name", tool.name}, {"parameters", tool.schema}};
  if (!tool.description.empty()) function["description"] = tool.description;
  return {{"type", "function"}, {"function", std::move(function)}};
}

}  // namespace

std::string conversation_misfit(const Json& request) {
  if (request.value("command", Json()) != "llm.chat") {
    return "turns: only llm.chat has turns";
  }
  const Json& params = request.at("params");
  if (params.contains("responses_body")) return "turns: not with responses_body";
  const Json choices = params.value("n", Json(1));
  if (choices != 1) return "turns: not with n above 1: which choice would the next turn follow?";
  return {};
}

Json take_conversation(Json& request, std::vector<std::string>& tool_names) {
  Json conversation;
  take_members(request, conversation);
  Json& params = request["params"];
  take_members(params, conversation);
  const auto tools = params.find("tools");
  if (tools == params.end() || !tools->is_array()) return conversation;
  Json objects = Json::array();
  for (Json& tool : *tools) {
    if (tool.is_string()) {
      tool_names.push_back(tool.get<std::string>());
    } else {
      objects.push_back(std::move(tool));
    }
  }
  if (objects.empty()) {
    params.erase(tools);
  } else {
    *tools = std::move(objects);
  }
  if (conversation.is_null() && !tool_names.empty()) conversation = Json::object();
  return conversation;
}

Result<void> declare_tools(RequestTemplate& one, const std::vector<WorkerTool>& known) {
  for (const std::string& name : one.tools) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const WorkerTool& tool) { return tool.name == name; });
    if (found == known.end()) {
      std::vector<std::string_view> names;
      names.reserve(known.size());
      for (const WorkerTool& tool : known) names.push_back(tool.name);
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("template '{}': tools: the worker declares no tool '{}'{}", one.name,
                              excerpt(name, 60),
                              names.empty() ? "; it declares none (tool.tools in its configuration)"
                                            : suggest(name, names)));
    }
    one.request["params"]["tools"].push_back(function_of(*found));
    one.conversation["tools"][name] = found->schema;
  }
  one.tools.clear();
  return {};
}

Result<ConversationScript, std::string> make_script(Json& request, const Json& conversation,
                                                    int max_turns) {
  Json& params = request["params"];
  Json further = turns_of(conversation);
  if (!further.is_array()) {
    return Unexpected(std::string("turns: must be a list of texts, at least one"));
  }
  Json full = conversation;
  Json& turns = full["turns"] = Json::array();
  const Json* const asked = last_user_message(params);
  if (const auto prompt = params.find("prompt"); prompt != params.end()) {
    turns.push_back(*prompt);
  } else if (asked != nullptr) {
    turns.push_back(asked->value("content", Json()));
  } else if (!further.empty()) {
    // The first turn begins the conversation: alone it is a prompt.
    const bool is_prompt = further[0].is_string() && !params.contains("messages");
    if (is_prompt) {
      params["prompt"] = further[0];
    } else {
      params["messages"].push_back({{"role", "user"}, {"content", further[0]}});
    }
  }
  for (Json& turn : further) turns.push_back(std::move(turn));
  return read_script(full, max_turns);
}

Result<void> add_images(Json& request, const std::vector<std::string>& urls) {
  if (urls.empty()) return {};
  Json& params = request["params"];
  if (const auto prompt = params.find("prompt"); prompt != params.end()) {
    params["messages"] = Json::array({{{"role", "user"}, {"content", *prompt}}});
    params.erase("prompt");
  }
  Json* const message = last_user_message(params);
  if (message == nullptr) {
    return fail(ErrorCode::kInvalidArgument,
                "--image: the request has no message of the user that the image could belong to");
  }
  Json& content = (*message)["content"];
  if (!content.is_array()) content = Json::array({{{"type", "text"}, {"text", content}}});
  for (const std::string& url : urls) {
    content.push_back({{"type", "image_url"}, {"image_url", {{"url", url}}}});
  }
  return {};
}

}  // namespace filecall::client
