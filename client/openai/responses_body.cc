// SPDX-License-Identifier: MIT
#include "client/openai/responses_body.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/result.h"

namespace filecall::client {
namespace {

std::string string_at(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Builds llm.chat's messages from a list of input items.
class InputMessages {
 public:
  /// What cannot be mapped, or empty.
  std::string add(const Json& item, std::size_t index) {
    const std::string where = fmt::format("/body/input/{}", index);
    if (!item.is_object()) return where + ": must be an object";
    const std::string type = item.contains("type") ? string_at(item, "type") : "message";
    if (type == "message") return add_message(item, where);
    if (type == "function_call") {
      add_call(item);
      return {};
    }
    if (type == "function_call_output" && item.contains("output") && item["output"].is_string()) {
      messages_.push_back({{"role", "tool"},
                           {"tool_call_id", string_at(item, "call_id")},
                           {"content", item["output"]}});
      return {};
    }
    return fmt::format("{}: an item of type '{}' has no counterpart in llm.chat", where, type);
  }
  Json take() && { return std::move(messages_); }

 private:
  std::string add_message(const Json& item, const std::string& where) {
    Json message = {{"role", string_at(item, "role")}};
    const Json content = item.value("content", Json());
    if (!content.is_array()) {
      message["content"] = content;
    } else {
      message["content"] = Json::array();
      for (const Json& part : content) {
        const std::string type = part.is_object() ? string_at(part, "type") : "";
        if (type == "input_text" || type == "output_text" || type == "text") {
          message["content"].push_back({{"type", "text"}, {"text", string_at(part, "text")}});
        } else if (type == "input_image" && !string_at(part, "image_url").empty()) {
          Json image = {{"url", string_at(part, "image_url")}};
          if (!is_absent(part, "detail")) image["detail"] = part["detail"];
          message["content"].push_back({{"type", "image_url"}, {"image_url", std::move(image)}});
        } else {
          return fmt::format("{}/content: a part of type '{}' has no counterpart in llm.chat",
                             where, type);
        }
      }
    }
    messages_.push_back(std::move(message));
    return {};
  }

  /// Calls that follow each other, or an assistant's text, are one turn.
  void add_call(const Json& item) {
    if (messages_.empty() || messages_.back()["role"] != "assistant") {
      messages_.push_back({{"role", "assistant"}, {"content", nullptr}});
    }
    messages_.back()["tool_calls"].push_back(
        {{"id", string_at(item, "call_id")},
         {"type", "function"},
         {"function",
          {{"name", string_at(item, "name")}, {"arguments", string_at(item, "arguments")}}}});
  }

  Json messages_ = Json::array();
};

std::string map_input(const Json& input, Json& params) {
  if (input.is_string() && !input.get_ref<const std::string&>().empty()) {
    params["prompt"] = input;
    return {};
  }
  if (!input.is_array() || input.empty()) return "/body/input: must be a text or a list of items";
  InputMessages messages;
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (std::string problem = messages.add(input[i], i); !problem.empty()) return problem;
  }
  params["messages"] = std::move(messages).take();
  return {};
}

/// The flat format of Responses in the nested form of llm.chat; null: there is no counterpart.
Json response_format(const Json& format) {
  const std::string type = format.is_object() ? string_at(format, "type") : "";
  if (type == "text" || type == "json_object") return {{"type", type}};
  if (type != "json_schema") return nullptr;
  Json schema = Json::object();
  for (const char* name : {"name", "description", "schema", "strict"}) {
    if (!is_absent(format, name)) schema[name] = format[name];
  }
  return {{"type", type}, {"json_schema", std::move(schema)}};
}

bool are_all_functions(const Json& tools) {
  return tools.is_array() && std::all_of(tools.begin(), tools.end(), [](const Json& tool) {
           return tool.is_object() && string_at(tool, "type") == "function";
         });
}

/// `value` into `params` if it has a counterpart there; all of it into `extra` otherwise.
void map_member(const std::string& name, const Json& value, Json& params, Json& extra) {
  static constexpr std::array kSame = {"model", "temperature", "top_p", "parallel_tool_calls",
                                       "tool_choice"};
  if (std::find(kSame.begin(), kSame.end(), name) != kSame.end()) {
    params[name] = value;
  } else if (name == "instructions") {
    params["system"] = value;
  } else if (name == "max_output_tokens") {
    params["max_tokens"] = value;
  } else if (name == "tools") {
    if (value.is_array() && value.empty()) return;
    (are_all_functions(value) ? params : extra)["tools"] = value;
  } else if (name == "reasoning" && value.is_object()) {
    if (!is_absent(value, "effort")) params["reasoning_effort"] = value["effort"];
    if (value.size() > 1) extra[name] = value;
  } else if (name == "text" && value.is_object()) {
    const Json format = value.contains("format") ? response_format(value["format"]) : Json();
    if (!format.is_null()) params["response_format"] = format;
    if (value.size() > 1 || format.is_null()) extra[name] = value;
  } else {
    extra[name] = value;
  }
}

}  // namespace

bool is_absent(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null();
}

Result<Json, std::string> chat_params_of_responses(const Json& body) {
  for (const char* name : {"previous_response_id", "conversation", "prompt"}) {
    if (!is_absent(body, name)) {
      return fmt::format("/body/{}: a request stands alone; write what it refers to into input",
                         name);
    }
  }
  if (!is_absent(body, "background") && body["background"] != false) {
    return std::string("/body/background: a batch waits for its responses; remove it");
  }
  Json params = Json::object();
  Json extra = Json::object();
  const Json input = body.value("input", Json());
  if (std::string problem = map_input(input, params); !problem.empty()) return problem;
  for (const auto& [name, value] : body.items()) {
    const bool is_done = value.is_null() || name == "input" || name == "stream" ||
                         name == "stream_options" || name == "store" || name == "background";
    if (!is_done) map_member(name, value, params, extra);
  }
  if (!extra.empty()) params["extra_body"] = std::move(extra);
  return params;
}

}  // namespace filecall::client
