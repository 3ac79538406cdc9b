// SPDX-License-Identifier: MIT
#include "worker/exec/llm/responses_body.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/result.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::llm {
namespace {

/// A null is the same as none.
bool is_absent(const Json& object, const char* name) { return member(object, name).is_null(); }

/// Builds llm.chat's messages from a list of input items.
class InputMessages {
 public:
  /// What cannot be mapped, or empty.
  std::string add(const Json& item, std::size_t index) {
    const std::string where = fmt::format("/responses_body/input/{}", index);
    if (!item.is_object()) return where + ": must be an object";
    const std::string type = item.contains("type") ? text_member(item, "type") : "message";
    if (type == "message") return add_message(item, where);
    if (type == "function_call") {
      add_call(item);
      return {};
    }
    if (type == "function_call_output" && item.contains("output") && item["output"].is_string()) {
      messages_.push_back({{"role", "tool"},
                           {"tool_call_id", text_member(item, "call_id")},
                           {"content", item["output"]}});
      return {};
    }
    return fmt::format("{}: an item of type '{}' has no counterpart at Anthropic", where, type);
  }
  Json take() && { return std::move(messages_); }

 private:
  std::string add_message(const Json& item, const std::string& where) {
    Json message = {{"role", text_member(item, "role")}};
    const Json content = item.value("content", Json());
    if (!content.is_array()) {
      message["content"] = content;
    } else {
      message["content"] = Json::array();
      for (const Json& part : content) {
        const std::string type = part.is_object() ? text_member(part, "type") : "";
        if (type == "input_text" || type == "output_text" || type == "text") {
          message["content"].push_back({{"type", "text"}, {"text", text_member(part, "text")}});
        } else if (type == "input_image" && !text_member(part, "image_url").empty()) {
          Json image = {{"url", text_member(part, "image_url")}};
          if (!is_absent(part, "detail")) image["detail"] = part["detail"];
          message["content"].push_back({{"type", "image_url"}, {"image_url", std::move(image)}});
        } else {
          return fmt::format("{}/content: a part of type '{}' has no counterpart at Anthropic",
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
        {{"id", text_member(item, "call_id")},
         {"type", "function"},
         {"function",
          {{"name", text_member(item, "name")}, {"arguments", text_member(item, "arguments")}}}});
  }

  Json messages_ = Json::array();
};

std::string map_input(const Json& input, Json& params) {
  if (input.is_string() && !input.get_ref<const std::string&>().empty()) {
    params["prompt"] = input;
    return {};
  }
  if (!input.is_array() || input.empty())
    return "/responses_body/input: must be a text or a list of items";
  InputMessages messages;
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (std::string problem = messages.add(input[i], i); !problem.empty()) return problem;
  }
  params["messages"] = std::move(messages).take();
  return {};
}

/// The flat format of Responses in the nested form of llm.chat; null: there is no counterpart.
Json response_format(const Json& format) {
  const std::string type = format.is_object() ? text_member(format, "type") : "";
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
           return tool.is_object() && text_member(tool, "type") == "function";
         });
}

/// `value` into `params` if it has a counterpart there; all of it into `extra` otherwise.
void map_member(const std::string& name, const Json& value, Json& params, Json& extra) {
  static constexpr std::array kSame = {"temperature", "top_p", "parallel_tool_calls",
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

Result<Json, Failure> chat_params_of_responses(const Json& body) {
  for (const char* name : {"previous_response_id", "conversation", "prompt"}) {
    if (is_absent(body, name)) continue;
    return bad_param(fmt::format("/responses_body/{}", name),
                     "only OpenAI knows what it refers to; write that into input");
  }
  Json params = Json::object();
  const Json input = body.value("input", Json());
  if (const std::string problem = map_input(input, params); !problem.empty()) {
    const auto colon = problem.find(": ");
    return bad_param(problem.substr(0, colon), problem.substr(colon + 2));
  }
  Json extra = Json::object();
  for (const auto& [name, value] : body.items()) {
    const bool is_done = value.is_null() || name == "input" || name == "model" || name == "store";
    if (!is_done) map_member(name, value, params, extra);
  }
  if (!extra.empty()) {
    return bad_param("/responses_body/" + extra.begin().key(),
                     "a provider of kind anthropic has no counterpart of it; remove it");
  }
  return params;
}

}  // namespace filecall::worker::llm
