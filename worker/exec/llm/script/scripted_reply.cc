// SPDX-License-Identifier: MIT
#include "worker/exec/llm/script/scripted_reply.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "ipc/json_text.h"

namespace filecall::worker::llm {
namespace {

constexpr std::size_t kPieceBytes = 64;
constexpr std::size_t kBytesPerToken = 4;
/// Longer than any time limit.
constexpr Duration kNever = std::chrono::hours(24 * 365);

std::string filled(std::string_view text, const ScriptValues& values) {
  std::string out;
  for (std::size_t open = text.find("{{"); open != text.npos; open = text.find("{{")) {
    const std::size_t close = text.find("}}", open);
    if (close == text.npos) break;
    const auto value = values.find(text.substr(open + 2, close - open - 2));
    const std::size_t taken = value == values.end() ? open + 2 : close + 2;
    out += value == values.end() ? text.substr(0, taken) : text.substr(0, open);
    if (value != values.end()) out += value->second;
    text.remove_prefix(taken);
  }
  return out.append(text);
}

void fill(Json& value, const ScriptValues& values) {
  if (value.is_string()) {
    value = filled(value.get_ref<const std::string&>(), values);
  } else if (value.is_structured()) {
    for (Json& inner : value) fill(inner, values);
  }
}

/// A call of a script as Chat Completions writes it.
Json wire_call(const Json& call, std::size_t index, const ScriptedCall& asked) {
  const Json arguments = call.value("arguments", Json::object());
  return {{"index", index},
          {"id", call.value("id", fmt::format("call_{}_{}", asked.turn, index + 1))},
          {"type", "function"},
          {"function",
           {{"name", call["name"]},
            {"arguments", arguments.is_string() ? arguments : Json(dump_json(arguments))}}}};
}

struct SpokenAnswer {
  std::string text;
  std::string reasoning;
  std::string refusal;
  Json calls = Json::array();
  std::string finish_reason;
  Json usage;
};

std::int64_t tokens_of(std::size_t bytes) {
  return static_cast<std::int64_t>((bytes + kBytesPerToken - 1) / kBytesPerToken);
}

SpokenAnswer answer_of(const Json& reply, const ScriptedCall& call) {
  SpokenAnswer answer;
  answer.text = reply.value("text", "");
  answer.reasoning = reply.value("reasoning", "");
  answer.refusal = reply.value("refusal", "");
  std::size_t bytes = answer.text.size() + answer.reasoning.size() + answer.refusal.size();
  for (const Json& one : reply.value("tool_calls", Json::array())) {
    answer.calls.push_back(wire_call(one, answer.calls.size(), call));
    bytes += dump_json(answer.calls.back()["function"]).size();
  }
  answer.finish_reason = reply.value("finish_reason", answer.calls.empty() ? "stop" : "tool_calls");
  const Json usage = reply.value("usage", Json::object());
  const auto input = usage.value("input_tokens", tokens_of(call.any.size()));
  const auto output = usage.value("output_tokens", tokens_of(bytes) * call.choices);
  answer.usage = {
      {"prompt_tokens", input}, {"completion_tokens", output}, {"total_tokens", input + output}};
  return answer;
}

Json whole_body(const SpokenAnswer& answer, const ScriptedCall& call) {
  Json message = {{"role", "assistant"}, {"content", answer.text}};
  if (!answer.reasoning.empty()) message["reasoning_content"] = answer.reasoning;
  if (!answer.refusal.empty()) message["refusal"] = answer.refusal;
  if (!answer.calls.empty()) message["tool_calls"] = answer.calls;
  Json choices = Json::array();
  for (std::int64_t i = 0; i < call.choices; ++i) {
    choices.push_back(
        {{"index", i}, {"message", message}, {"finish_reason", answer.finish_reason}});
  }
  return {{"object", "chat.completion"},
          {"model", call.model},
          {"choices", std::move(choices)},
          {"usage", answer.usage}};
}

/// The events of a streamed answer.
class Stream {
 public:
  Stream(const ScriptLine& line, const ScriptedCall& call, ScriptedReply& reply)
      : line_(line), call_(call), reply_(reply) {}

  void write(const SpokenAnswer& answer) {
    for (std::int64_t i = 0; i < call_.choices; ++i) {
      choice_ = i;
      add_text("reasoning_content", answer.reasoning);
      add_text("refusal", answer.refusal);
      add_text("content", answer.text);
      for (const Json& call : answer.calls) add_call(call);
      add({{"choices",
            {{{"index", choice_},
              {"delta", Json::object()},
              {"finish_reason", answer.finish_reason}}}}});
    }
    if (call_.wants_usage) add({{"choices", Json::array()}, {"usage", answer.usage}});
    add_event("[DONE]");
  }

 private:
  void add_event(std::string_view data) {
    const Duration after = reply_.body.empty() ? Duration{} : line_.piece_delay;
    reply_.body.push_back({after, fmt::format("data: {}\n\n", data)});
  }
  void add(Json event) {
    event["object"] = "chat.completion.chunk";
    event["model"] = call_.model;
    add_event(dump_json(event));
  }
  void add_delta(Json delta) {
    add({{"choices",
          {{{"index", choice_}, {"delta", std::move(delta)}, {"finish_reason", nullptr}}}}});
  }
  /// Characters stay whole.
  std::string_view take_piece(std::string_view& text) const {
    const std::size_t size = line_.piece_bytes == 0 ? kPieceBytes : line_.piece_bytes;
    std::size_t end = std::min(text.size(), size);
    if (end < text.size()) end -= unfinished_utf8_end(text.substr(0, end));
    if (end == 0) end = std::min<std::size_t>(text.size(), 4);
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    const std::string_view piece = text.substr(0, end);
    text.remove_prefix(end);
    return piece;
  }
  void add_text(const char* member, std::string_view text) {
    while (!text.empty()) add_delta({{member, take_piece(text)}});
  }
  void add_call(const Json& call) {
    Json begin = call;
    begin["function"]["arguments"] = "";
    add_delta({{"tool_calls", Json::array({begin})}});
    const std::string arguments = call["function"]["arguments"];
    std::string_view rest = arguments;
    while (!rest.empty()) {
      const Json part = {{"index", call["index"]}, {"function", {{"arguments", take_piece(rest)}}}};
      add_delta({{"tool_calls", Json::array({part})}});
    }
  }

  const ScriptLine& line_;
  const ScriptedCall& call_;
  ScriptedReply& reply_;
  std::int64_t choice_ = 0;
};

ScriptedReply json_reply(int status, const Json& body) {
  ScriptedReply reply;
  reply.status = status;
  reply.headers.add("content-type", "application/json");
  reply.body.push_back({{}, dump_json(body)});
  return reply;
}

ScriptedReply error_reply(const Json& error) {
  Json said = {{"message", error.value("message", "scripted")}};
  for (const char* name : {"type", "code"}) {
    if (error.contains(name)) said[name] = error[name];
  }
  ScriptedReply reply = json_reply(error["status"].get<int>(), {{"error", std::move(said)}});
  if (error.contains("retry_after_ms")) {
    reply.headers.add("retry-after-ms",
                      std::to_string(error["retry_after_ms"].get<std::int64_t>()));
  }
  return reply;
}

ScriptedReply answer_reply(const ScriptLine& line, const ScriptedCall& call,
                           const ScriptValues& values) {
  Json said = line.reply;
  fill(said, values);
  const SpokenAnswer answer = answer_of(said, call);
  if (!call.is_streamed) return json_reply(200, whole_body(answer, call));
  ScriptedReply reply;
  reply.headers.add("content-type", "text/event-stream");
  Stream(line, call, reply).write(answer);
  return reply;
}

/// Half of what would have come. A stream ends before it says why the model stopped.
void cut(ScriptedReply& reply, bool is_stream) {
  constexpr std::size_t kLastEvents = 2;
  reply.end = HttpEnd::kTruncated;
  const std::size_t pieces = reply.body.size();
  const std::size_t kept = is_stream && pieces > kLastEvents ? (pieces - kLastEvents) / 2 : 0;
  reply.body.resize(std::max<std::size_t>(kept, 1));
  if (kept > 0) return;
  std::string& bytes = reply.body.front().bytes;
  bytes.resize(bytes.size() / 2);
}

ScriptedReply of_fault(ScriptFault fault) {
  ScriptedReply reply;
  reply.status = 0;
  switch (fault) {
    case ScriptFault::kRefused:
      reply.end = HttpEnd::kRefused;
      break;
    case ScriptFault::kReset:
      reply.end = HttpEnd::kReset;
      break;
    case ScriptFault::kNone:
    case ScriptFault::kCut:
    case ScriptFault::kHang:
      reply.end = HttpEnd::kTimeoutFirstEvent;
      reply.end_after = kNever;
      break;
  }
  return reply;
}

}  // namespace

ScriptedReply make_reply(const ScriptLine& line, const ScriptedCall& call,
                         const ScriptValues& values) {
  ScriptedReply reply;
  if (line.raw) {
    reply.headers.add("content-type", call.is_streamed ? "text/event-stream" : "application/json");
    reply.body.push_back({{}, *line.raw});
  } else if (!line.error.is_null()) {
    reply = error_reply(line.error);
  } else if (!line.reply.is_null()) {
    reply = answer_reply(line, call, values);
  } else {
    reply = of_fault(line.fault);
  }
  if (line.fault == ScriptFault::kCut) cut(reply, call.is_streamed);
  (reply.body.empty() ? reply.end_after : reply.body.front().after) += line.delay;
  return reply;
}

ScriptedReply unscripted_reply(const std::string& script, const ScriptedCall& call) {
  return json_reply(
      400,
      {{"error",
        {{"message", fmt::format("no line of the script {} fits request {}, turn {}, whose last "
                                 "message is: {}",
                                 script, call.request_id, call.turn, excerpt(call.last))},
         {"type", "unscripted"}}}});
}

ScriptedReply models_reply(const std::vector<std::string>& models) {
  Json data = Json::array();
  for (const std::string& model : models) {
    if (!model.ends_with('*')) data.push_back({{"id", model}, {"object", "model"}});
  }
  return json_reply(200, {{"object", "list"}, {"data", std::move(data)}});
}

ScriptedReply unknown_path_reply(std::string_view path) {
  return json_reply(400, {{"error",
                           {{"message", fmt::format("a scripted model has no {}; it answers "
                                                    "llm.chat and llm.models",
                                                    path)},
                            {"type", "unscripted"}}}});
}

void bound_by(const HttpTimeouts& timeouts, ScriptedReply& reply) {
  Duration at{};
  const auto end_at = [&](Duration limit, HttpEnd end, std::size_t pieces) {
    reply.body.resize(pieces);
    reply.end = end;
    reply.end_after = limit;
    if (pieces == 0) reply.status = 0;
  };
  for (std::size_t i = 0; i <= reply.body.size(); ++i) {
    const bool is_end = i == reply.body.size();
    const Duration after = is_end ? reply.end_after : reply.body[i].after;
    const Duration silence = i == 0 ? timeouts.first_event : timeouts.idle;
    const Duration left = timeouts.total - at;
    if (after > std::min(silence, left)) {
      const HttpEnd end = left < silence ? HttpEnd::kTimeoutTotal
                          : i == 0       ? HttpEnd::kTimeoutFirstEvent
                                         : HttpEnd::kTimeoutIdle;
      return end_at(std::min(silence, left), end, i);
    }
    at += after;
  }
}

}  // namespace filecall::worker::llm
