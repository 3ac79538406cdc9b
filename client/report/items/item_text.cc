// SPDX-License-Identifier: MIT
#include "client/report/items/item_text.h"

#include <vector>

namespace filecall::client {
namespace {

const Json kNull;

const Json& member_of(const Json& object, const char* name) {
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

/// A message's content: a text, or parts of which the texts are shown and the rest is named.
std::string content_text(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) return content.is_null() ? std::string() : dump_json(content);
  std::string out;
  for (const Json& part : content) {
    if (!out.empty()) out += "\n";
    const std::string text = text_member(part, "text");
    out += text.empty() ? "[" + text_member(part, "type") + "]" : text;
  }
  return out;
}

std::string message_text(const Json& message) {
  std::string text = content_text(member_of(message, "content"));
  const Json& calls = member_of(message, "tool_calls");
  if (calls.is_array() && !calls.empty()) text += (text.empty() ? "" : "\n") + dump_json(calls);
  return text;
}

}  // namespace

std::string text_member(const Json& object, const char* name) {
  const Json& member = member_of(object, name);
  return member.is_string() ? member.get<std::string>() : std::string();
}

const Json& object_member(const Json& object, const char* name) {
  const Json& member = member_of(object, name);
  return member.is_object() ? member : kNull;
}

std::string prompt_text(const Json& params) {
  const Json& body = object_member(params, "responses_body");
  const Json& messages =
      body.is_object() ? member_of(body, "input") : member_of(params, "messages");
  const std::string system =
      body.is_object() ? text_member(body, "instructions") : text_member(params, "system");
  const std::string prompt =
      body.is_object() ? text_member(body, "input") : text_member(params, "prompt");
  std::vector<std::pair<std::string, std::string>> parts;
  if (!system.empty()) parts.emplace_back("system", system);
  if (!prompt.empty()) parts.emplace_back("user", prompt);
  if (messages.is_array()) {
    for (const Json& message : messages) {
      parts.emplace_back(text_member(message, "role"), message_text(message));
    }
  }
  if (parts.empty()) return params.is_null() ? std::string() : dump_json(params);
  if (parts.size() == 1) return parts.front().second;
  std::string out;
  for (const auto& [role, text] : parts) {
    out += (out.empty() ? "[" : "\n\n[") + role + "]\n" + text;
  }
  return out;
}

std::string answer_text(const Json& data) {
  const Json& text = member_of(data, "text");
  const std::string refusal = text_member(data, "refusal");
  if (text.is_string() || !refusal.empty()) {
    std::string out = text.is_string() ? text.get<std::string>() : std::string();
    if (!refusal.empty() && refusal != out) out += (out.empty() ? "" : "\n") + refusal;
    const Json& calls = member_of(data, "tool_calls");
    if (calls.is_array() && !calls.empty()) out += (out.empty() ? "" : "\n") + dump_json(calls);
    return out;
  }
  return data.is_null() ? std::string() : dump_json(data);
}

}  // namespace filecall::client
