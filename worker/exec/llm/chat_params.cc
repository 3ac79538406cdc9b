// SPDX-License-Identifier: MIT
#include "worker/exec/llm/chat_params.h"

#include <fmt/core.h>

#include <utility>

#include "base/result.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::llm {
namespace {

Role parse_role(const std::string& name) {
  for (const Role role :
       {Role::kSystem, Role::kDeveloper, Role::kUser, Role::kAssistant, Role::kTool}) {
    if (to_string(role) == name) return role;
  }
  return Role::kUser;
}

ContentPart parse_part(const Json& part) {
  ContentPart result;
  const std::string type = text_member(part, "type");
  if (type == "text") {
    result.text = text_member(part, "text");
  } else if (type == "image_url") {
    result.kind = ContentPart::Kind::kImage;
    const Json& image = member(part, "image_url");
    result.url = image.is_string() ? image.get<std::string>() : text_member(image, "url");
    result.detail = text_member(image, "detail");
  } else {
    result.kind = ContentPart::Kind::kOther;
    result.other = part;
  }
  return result;
}

/// Takes both forms: {id, name, arguments} and that of Chat Completions.
ChatToolCall parse_call(const Json& call) {
  const Json& function = member(call, "function");
  const Json& source = function.is_object() ? function : call;
  const Json& arguments = member(source, "arguments");
  ChatToolCall result{text_member(call, "id"), text_member(source, "name"), ""};
  if (arguments.is_string()) {
    result.arguments = arguments.get<std::string>();
  } else if (!arguments.is_null()) {
    result.arguments = dump_json(arguments);
  }
  return result;
}

ChatMessage parse_message(const Json& message) {
  ChatMessage result;
  result.role = parse_role(text_member(message, "role"));
  result.name = text_member(message, "name");
  result.tool_call_id = text_member(message, "tool_call_id");
  const Json& content = member(message, "content");
  if (content.is_string()) {
    result.parts.push_back(ContentPart::of_text(content.get<std::string>()));
  } else if (content.is_array()) {
    for (const Json& part : content) result.parts.push_back(parse_part(part));
  }
  if (const Json& calls = member(message, "tool_calls"); calls.is_array()) {
    for (const Json& call : calls) result.tool_calls.push_back(parse_call(call));
  }
  return result;
}

/// Whether a message holds together; the schema has looked at its members one by one.
std::optional<std::string> complaint_about(const ChatMessage& message) {
  if (message.role == Role::kTool && message.tool_call_id.empty()) {
    return "a tool's message needs the tool_call_id that it answers";
  }
  if (!message.tool_calls.empty() && message.role != Role::kAssistant) {
    return "only an assistant's message has tool_calls";
  }
  if (message.parts.empty() && message.tool_calls.empty()) return "a message needs content";
  for (const ChatToolCall& call : message.tool_calls) {
    if (call.name.empty() || call.id.empty()) return "a tool call needs an id and a name";
  }
  for (const ContentPart& part : message.parts) {
    if (part.kind == ContentPart::Kind::kImage && part.url.empty()) return "an image needs a url";
  }
  return std::nullopt;
}

ToolSpec parse_tool(const Json& tool) {
  const Json& function = member(tool, "function");
  const Json& source = function.is_object() ? function : tool;
  ToolSpec result{text_member(source, "name"), text_member(source, "description"),
                  member(source, "parameters"), std::nullopt};
  if (const Json& strict = member(source, "strict"); strict.is_boolean()) {
    result.strict = strict.get<bool>();
  }
  return result;
}

ToolChoice parse_tool_choice(const Json& choice) {
  if (choice == "none") return {ToolChoice::Mode::kNone, ""};
  if (choice == "required") return {ToolChoice::Mode::kRequired, ""};
  if (!choice.is_object()) return {};
  const Json& function = member(choice, "function");
  return {ToolChoice::Mode::kFunction,
          text_member(function.is_object() ? function : choice, "name")};
}

ResponseFormat parse_format(const Json& format) {
  ResponseFormat result;
  const std::string type = text_member(format, "type");
  if (type == "json_object") result.kind = ResponseFormat::Kind::kJsonObject;
  if (type != "json_schema") return result;
  const Json& inner = member(format, "json_schema");
  const Json& source = inner.is_object() ? inner : format;
  result.kind = ResponseFormat::Kind::kJsonSchema;
  result.name = text_member(source, "name");
  if (result.name.empty()) result.name = "answer";
  result.schema = member(source, "schema");
  if (const Json& strict = member(source, "strict"); strict.is_boolean()) {
    result.strict = strict.get<bool>();
  }
  return result;
}

std::optional<double> number_member(const Json& params, const char* name) {
  const Json& value = member(params, name);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::optional<std::int64_t> integer_member(const Json& params, const char* name) {
  const Json& value = member(params, name);
  return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

void read_sampling(const Json& params, ChatParams& out) {
  out.temperature = number_member(params, "temperature");
  out.top_p = number_member(params, "top_p");
  out.frequency_penalty = number_member(params, "frequency_penalty");
  out.presence_penalty = number_member(params, "presence_penalty");
  out.top_k = integer_member(params, "top_k");
  out.max_tokens = integer_member(params, "max_tokens");
  out.seed = integer_member(params, "seed");
  out.n = integer_member(params, "n");
  out.logprobs = member(params, "logprobs") == true;
  out.top_logprobs = integer_member(params, "top_logprobs");
  out.reasoning_effort = text_member(params, "reasoning_effort");
  const Json& stop = member(params, "stop");
  if (stop.is_string()) out.stop = {stop.get<std::string>()};
  if (stop.is_array()) out.stop = stop.get<std::vector<std::string>>();
}

/// What fits together only in some ways.
std::optional<Failure> complaint_about_whole(const ChatParams& params) {
  if (params.n.value_or(1) > 1 && params.stream) {
    return bad_param("/n", "several choices are not streamed; remove stream, or use repeats");
  }
  if (params.top_logprobs && !params.logprobs) {
    return bad_param("/top_logprobs", "needs logprobs: true");
  }
  return std::nullopt;
}

/// Takes of the body what this program needs to know; the provider gets all of it.
std::optional<Failure> read_responses_body(const Json& body, ChatParams& out) {
  for (const char* name : {"stream", "background"}) {
    if (member(body, name) == true) {
      return bad_param(fmt::format("/responses_body/{}", name),
                       "a response comes whole; remove it");
    }
  }
  out.responses_body = body;
  out.responses_body.erase("stream");
  out.responses_body.erase("stream_options");
  if (out.model.empty()) out.model = text_member(body, "model");
  if (!out.max_tokens) out.max_tokens = integer_member(body, "max_output_tokens");
  const Json& format = member(member(body, "text"), "format");
  if (format.is_object() && !out.response_format) out.response_format = parse_format(format);
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Role role) {
  switch (role) {
    case Role::kSystem:
      return "system";
    case Role::kDeveloper:
      return "developer";
    case Role::kUser:
      return "user";
    case Role::kAssistant:
      return "assistant";
    case Role::kTool:
      return "tool";
  }
  return "user";
}

std::string ChatMessage::text() const {
  std::string result;
  for (const ContentPart& part : parts) result += part.text;
  return result;
}

ContentPart ContentPart::of_text(std::string text) {
  ContentPart part;
  part.text = std::move(text);
  return part;
}

ChatMessage ChatMessage::of_text(Role role, std::string text) {
  ChatMessage message;
  message.role = role;
  message.parts.push_back(ContentPart::of_text(std::move(text)));
  return message;
}

Failure bad_param(const std::string& pointer, const std::string& reason) {
  Failure failure;
  failure.code = ErrorCode::kInvalidArgument;
  failure.message = fmt::format("/params{}: {}", pointer, reason);
  failure.details = {{"class", "invalid"}, {"pointer", "/params" + pointer}};
  return failure;
}

Result<ChatParams, Failure> parse_chat_params(const Json& params) {
  ChatParams out;
  out.provider = text_member(params, "provider");
  out.model = text_member(params, "model");
  if (const std::string system = text_member(params, "system"); !system.empty()) {
    out.messages.push_back(ChatMessage::of_text(Role::kSystem, system));
  }
  if (const Json& prompt = member(params, "prompt"); prompt.is_string()) {
    out.messages.push_back(ChatMessage::of_text(Role::kUser, prompt.get<std::string>()));
  }
  const Json& messages = member(params, "messages");
  for (std::size_t i = 0; messages.is_array() && i < messages.size(); ++i) {
    out.messages.push_back(parse_message(messages[i]));
    if (const auto complaint = complaint_about(out.messages.back())) {
      return bad_param(fmt::format("/messages/{}", i), *complaint);
    }
  }
  read_sampling(params, out);
  if (const Json& format = member(params, "response_format"); format.is_object()) {
    out.response_format = parse_format(format);
    if (out.response_format->kind == ResponseFormat::Kind::kJsonSchema &&
        !out.response_format->schema.is_object()) {
      return bad_param("/response_format", "json_schema needs a schema, which is an object");
    }
  }
  if (const Json& tools = member(params, "tools"); tools.is_array()) {
    for (std::size_t i = 0; i < tools.size(); ++i) {
      out.tools.push_back(parse_tool(tools[i]));
      if (out.tools.back().name.empty()) {
        return bad_param(fmt::format("/tools/{}", i), "a tool needs a name");
      }
    }
  }
  if (const Json& choice = member(params, "tool_choice"); !choice.is_null()) {
    out.tool_choice = parse_tool_choice(choice);
    if (out.tools.empty()) return bad_param("/tool_choice", "there are no tools to choose from");
  }
  if (const Json& parallel = member(params, "parallel_tool_calls"); parallel.is_boolean()) {
    out.parallel_tool_calls = parallel.get<bool>();
  }
  if (const Json& extra = member(params, "extra_body"); extra.is_object()) {
    out.extra_body = extra;
    for (const char* name : {"stream", "n"}) {
      if (extra.contains(name)) {
        return bad_param(fmt::format("/extra_body/{}", name),
                         fmt::format("say it in the member {} of params", name));
      }
    }
  }
  out.stream = member(params, "stream") == true;
  out.raw = member(params, "raw") == true;
  if (const Json& body = member(params, "responses_body"); body.is_object()) {
    if (auto problem = read_responses_body(body, out)) return std::move(*problem);
  }
  if (auto problem = complaint_about_whole(out)) return std::move(*problem);
  return out;
}

}  // namespace filecall::worker::llm
