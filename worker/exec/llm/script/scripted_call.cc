// SPDX-License-Identifier: MIT
#include "worker/exec/llm/script/scripted_call.h"

#include <algorithm>
#include <utility>

#include "worker/exec/json_read.h"

namespace filecall::worker::llm {
namespace {

using Part = ScriptMatch::Search::Part;

/// The text of a message: its content, or the text parts of it.
std::string text_of(const Json& message) {
  const Json& content = member(message, "content");
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (content.is_array()) {
    for (const Json& part : content) text += text_member(part, "text");
  }
  return text;
}

void append_line(std::string& to, const std::string& text) {
  if (!to.empty() && !text.empty()) to += '\n';
  to += text;
}

const std::string& part_of(const ScriptedCall& call, Part part) {
  switch (part) {
    case Part::kModel:
      return call.model;
    case Part::kRequest:
      return call.request_id;
    case Part::kSystem:
      return call.system;
    case Part::kUser:
      return call.user;
    case Part::kToolResult:
      return call.tool_result;
    case Part::kLast:
      return call.last;
    case Part::kAny:
      break;
  }
  return call.any;
}

}  // namespace

ScriptedCall read_scripted_call(const Json& body, std::string request_id) {
  ScriptedCall call;
  call.request_id = std::move(request_id);
  call.model = text_member(body, "model");
  const Json& messages = member(body, "messages");
  if (messages.is_array()) {
    for (const Json& message : messages) {
      const std::string role = text_member(message, "role");
      std::string text = text_of(message);
      append_line(call.any, text);
      if (role == "system" || role == "developer") append_line(call.system, text);
      if (role == "user") call.user = text;
      if (role == "tool") call.tool_result = text;
      if (role == "assistant") ++call.turn;
      call.last = std::move(text);
    }
  }
  const Json& tools = member(body, "tools");
  if (tools.is_array()) {
    for (const Json& tool : tools) {
      call.tools.push_back(text_member(member(tool, "function"), "name"));
    }
  }
  const std::string format = text_member(member(body, "response_format"), "type");
  if (!format.empty()) call.format = format;
  call.is_streamed = member(body, "stream") == true;
  call.wants_usage = member(member(body, "stream_options"), "include_usage") == true;
  call.choices = std::clamp<std::int64_t>(count_member(body, "n").value_or(1), 1, 128);
  return call;
}

std::optional<ScriptValues> match(const ScriptLine& line, const ScriptedCall& call) {
  const ScriptMatch& when = line.when;
  if (when.turn && *when.turn != call.turn) return std::nullopt;
  if (!when.format.empty() && when.format != call.format) return std::nullopt;
  if (!when.tool.empty() &&
      std::find(call.tools.begin(), call.tools.end(), when.tool) == call.tools.end()) {
    return std::nullopt;
  }
  ScriptValues values;
  for (const auto& [part, pattern] : when.searches) {
    if (!pattern.find_in(part_of(call, part), values)) return std::nullopt;
  }
  return values;
}

}  // namespace filecall::worker::llm
