// SPDX-License-Identifier: MIT
#include "client/agent/core/result_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"
#include "client/agent/core/record_member.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string_view tail_of(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text;
  std::size_t at = text.size() - bytes;
  while (at < text.size() && is_continuation(text[at])) ++at;
  return text.substr(at);
}

/// Depth is bounded by the parser that made the value.
void cut_texts(Json& value, std::size_t bytes_max) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() <= bytes_max) return;
    const std::string_view head = leading_text(text, bytes_max);
    value = fmt::format("{} [... {} of {} bytes left out]", head, text.size() - head.size(),
                        text.size());
  } else if (value.is_structured()) {
    for (Json& member : value) cut_texts(member, bytes_max);
  }
}

/// No JSON of the value is longer: each byte of a text may become "\\u001f".
std::size_t json_bytes_most(const Json& value) {
  constexpr std::size_t kEscapeBytes = 6;
  constexpr std::size_t kScalarBytes = 32;
  const auto of_text = [](const std::string& text) { return kEscapeBytes * text.size() + 4; };
  if (value.is_string()) return of_text(value.get_ref<const std::string&>());
  if (!value.is_structured()) return kScalarBytes;
  std::size_t bytes = 2;
  if (value.is_object()) {
    for (const auto& entry : value.items()) {
      bytes += of_text(entry.key()) + json_bytes_most(entry.value());
    }
  } else {
    for (const Json& member : value) bytes += 1 + json_bytes_most(member);
  }
  return bytes;
}

}  // namespace

std::string_view leading_text(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text;
  while (bytes > 0 && is_continuation(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

std::size_t json_bytes(const Json& value) {
  std::string text;
  append_json(text, value);
  return text.size();
}

bool fits_in_json(std::initializer_list<const Json*> values, std::size_t bytes_max) {
  std::size_t most = 0;
  for (const Json* value : values) most += json_bytes_most(*value);
  if (most <= bytes_max) return true;
  std::size_t bytes = 0;
  for (const Json* value : values) bytes += json_bytes(*value);
  return bytes <= bytes_max;
}

std::string result_text_of(const Response& response) {
  if (response.is_success()) return dump_json(response.data);
  Json error = {{"error_code", std::string(to_string(response.failure->code))},
                {"error_message", response.failure->message}};
  if (response.failure->details.is_object()) error["error_details"] = response.failure->details;
  return dump_json(error);
}

std::string bounded_text(std::string_view text, std::size_t bytes_max, std::string_view whole) {
  if (text.size() <= bytes_max) return std::string(text);
  const std::string_view head = leading_text(text, bytes_max * 3 / 4);
  const std::string_view tail = tail_of(text, bytes_max / 4);
  const std::size_t left_out = text.size() - head.size() - tail.size();
  return fmt::format("{}\n[... {} of {} bytes left out{}{}]\n{}", head, left_out, text.size(),
                     whole.empty() ? "" : "; the whole lies in ", whole, tail);
}

Json bounded_value(const Json& value, std::size_t bytes_max) {
  if (json_bytes(value) <= bytes_max) return value;
  Json out = value;
  for (std::size_t text_max = bytes_max; text_max >= 16; text_max /= 2) {
    cut_texts(out, text_max);
    if (json_bytes(out) <= bytes_max) return out;
  }
  return {{"left_out", fmt::format("{} bytes of arguments", json_bytes(value))}};
}

std::string fenced_data(std::string_view text) {
  const std::string mark = fmt::format("{:016x}", hash64(text));
  return fmt::format("<<<DATA {}\n{}\nDATA {}>>>\n", mark, text, mark);
}

Json usage_of(const Json& data) {
  Json usage = value_at(data, "usage");
  if (!usage.is_object()) usage = Json::object();
  if (value_at(data, "cost").is_number()) usage["cost"] = data["cost"];
  return usage;
}

}  // namespace filecall::client
