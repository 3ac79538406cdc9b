// SPDX-License-Identifier: MIT
#include "client/eval/judge_calls.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "client/eval/turn_subject.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

std::string_view beginning_of(std::string_view text) {
  text = text.substr(0, kJudgedCallBytesMax);
  return text.substr(0, text.size() - unfinished_utf8_end(text));
}

/// A text that is cut says so in a member of its own, which no tool can write.
void put_bounded(const char* name, const Json& value, Json& line) {
  const std::string text = plain_text(value);
  if (text.size() <= kJudgedCallBytesMax) {
    line[name] = value;
    return;
  }
  const std::string_view kept = beginning_of(text);
  line[name] = kept;
  line[fmt::format("{}_bytes_left_out", name)] = text.size() - kept.size();
}

Json line_of(const Json& call, int turn) {
  Json line = Json::object();
  if (turn > 0) line["turn"] = turn;
  if (!call.is_object()) return line;
  line["name"] = excerpt(plain_text(call.value("name", Json(""))), 200);
  for (const char* name : {"arguments", "result"}) {
    if (call.contains(name)) put_bounded(name, call[name], line);
  }
  if (call.value("is_error", Json()) == true) line["is_error"] = true;
  return line;
}

std::vector<Json> lines_of(const Subject& subject, int turn) {
  std::vector<Json> lines;
  if (!subject.turns.is_array()) {
    for (const Json& call : tool_calls_of(subject, turn)) lines.push_back(line_of(call, 0));
    return lines;
  }
  const auto count = static_cast<int>(subject.turns.size());
  const int last = turn > 0 ? std::min(turn, count) : count;
  for (int one = 1; one <= last; ++one) {
    for (const Json& call : tool_calls_of(subject, one)) lines.push_back(line_of(call, one));
  }
  return lines;
}

bool is_of_calls(const Json& message) {
  if (!message.is_object()) return false;
  if (message.value("role", Json()) == "tool") return true;
  const Json content = message.value("content", Json());
  return message.contains("tool_calls") && (content.is_null() || content == "");
}

}  // namespace

JudgedCalls judged_calls(const Subject& subject, int turn) {
  const std::vector<Json> lines = lines_of(subject, turn);
  JudgedCalls calls;
  std::size_t first = lines.size();
  std::string text;
  // The last ones are nearest to the answer.
  while (first > 0) {
    std::string line = dump_json(lines[first - 1]);
    if (line.size() + text.size() + 1 > kJudgedCallsBytesMax) break;
    text = line + (text.empty() ? "" : "\n") + text;
    --first;
  }
  for (std::size_t i = first; i < lines.size(); ++i) {
    if (lines[i].contains("result")) calls.results.push_back(plain_text(lines[i]["result"]));
  }
  if (first > 0) {
    const Json note = {{"calls_left_out", first}, {"calls", lines.size()}};
    text = dump_json(note) + (text.empty() ? "" : "\n") + text;
  }
  calls.shown = std::move(text);
  return calls;
}

Request request_without_calls(const Subject& subject) {
  Request request = subject.request;
  const auto messages =
      request.params.is_object() ? request.params.find("messages") : request.params.end();
  if (!subject.turns.is_array() || messages == request.params.end() || !messages->is_array()) {
    return request;
  }
  Json kept = Json::array();
  for (const Json& message : *messages) {
    if (!is_of_calls(message)) kept.push_back(message);
  }
  *messages = std::move(kept);
  return request;
}

}  // namespace filecall::client
