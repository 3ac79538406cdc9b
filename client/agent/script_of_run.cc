// SPDX-License-Identifier: MIT
#include "client/agent/script_of_run.h"

#include <fmt/core.h>

#include "base/token_formats.h"
#include "client/agent/core/record_member.h"

namespace filecall::client {
namespace {

bool is_in_alphabet(char c, TokenFormat::Alphabet alphabet) {
  const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
  if (is_word) return true;
  if (alphabet == TokenFormat::Alphabet::kDotted) return c == '.';
  return alphabet == TokenFormat::Alphabet::kBase64 && (c == '+' || c == '/' || c == '=');
}

/// The bytes of a token that begins at `at`; 0: none does.
std::size_t token_at(const std::string& text, std::size_t at) {
  for (const TokenFormat& format : kTokenFormats) {
    if (text.compare(at, format.beginning.size(), format.beginning) != 0) continue;
    std::size_t end = at + format.beginning.size();
    while (end < text.size() && is_in_alphabet(text[end], format.alphabet)) ++end;
    if (end - at - format.beginning.size() >= format.rest_min) return end - at;
  }
  return 0;
}

void hide_tokens(Json& value) {
  if (value.is_string()) {
    value = without_tokens(value.get<std::string>());
  } else if (value.is_structured()) {
    for (Json& member : value) hide_tokens(member);
  }
}

/// RE2 takes a backslash before any punctuation as that character.
std::string quoted_pattern(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!is_word) out += '\\';
    out += c;
  }
  return out;
}

Json reply_of(const Json& data) {
  Json reply = {{"text", text_at(data, "text")}};
  Json calls = Json::array();
  for (const Json& call : value_at(data, "tool_calls")) {
    calls.push_back({{"id", text_at(call, "id")},
                     {"name", text_at(call, "name")},
                     {"arguments", value_at(call, "arguments")}});
  }
  if (!calls.empty()) reply["tool_calls"] = std::move(calls);
  Json usage = Json::object();
  for (const char* name : {"input_tokens", "output_tokens"}) {
    const Json& count = value_at(value_at(data, "usage"), name);
    if (count.is_number_integer()) usage[name] = count;
  }
  if (!usage.empty()) reply["usage"] = std::move(usage);
  hide_tokens(reply);
  return reply;
}

}  // namespace

std::string without_tokens(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = token_at(text, at);
    if (size > 0) {
      out += "[secret]";
      at += size;
    } else {
      out += text[at++];
    }
  }
  return out;
}

ScriptOfRun script_of_run(
    const std::string& run, const std::vector<ThreadRecord>& records,
    const std::function<std::shared_ptr<const Response>(const std::string& id)>& response_of) {
  ScriptOfRun script;
  for (const ThreadRecord& record : records) {
    if (record.type != "plan.asked" && record.type != "report.asked") continue;
    const std::string id = text_at(record.data, "request_id");
    const auto response = response_of(id);
    if (response == nullptr) {
      script.missing.push_back(id);
      continue;
    }
    Json line = {{"when", {{"request", quoted_pattern(id.substr(run.size())) + "$"}}}};
    if (response->is_success()) {
      line["reply"] = reply_of(response->data);
    } else {
      // A model that failed once fails again, so that the chain goes the same way.
      line["error"] = {{"status", 400}, {"message", without_tokens(response->failure->message)}};
    }
    script.lines.push_back(std::move(line));
  }
  return script;
}

}  // namespace filecall::client
