// SPDX-License-Identifier: MIT
#include "tests/support/llm_endpoint/reply.h"

#include <fmt/core.h>

namespace endpoint {

using filecall::Json;

namespace {

const char* const kCallArguments = "{\"city\": \"Paris\"}";

std::string last_text(const Json& body) {
  for (const char* member : {"messages", "input"}) {
    const auto found = body.find(member);
    if (found == body.end()) continue;
    if (found->is_string()) return found->get<std::string>();
    if (!found->is_array() || found->empty()) continue;
    const Json& last = found->back();
    if (last.is_string()) return last.get<std::string>();
    const Json content = last.is_object() ? last.value("content", Json()) : Json();
    if (content.is_string()) return content.get<std::string>();
    if (!content.is_array()) continue;
    for (const Json& part : content) {
      if (part.is_object() && part.value("text", Json()).is_string()) return part["text"];
    }
  }
  return "";
}

long words_in(const std::string& text) {
  long count = 1;
  for (const char c : text) count += c == ' ' ? 1 : 0;
  return count;
}

std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size() - 1);
    result.push_back(text.substr(at, end - at + 1));
    at = end + 1;
  }
  return result;
}

std::string data_event(const Json& data) { return "data: " + filecall::dump_json(data) + "\n\n"; }
std::string named_event(const Json& data) {
  return "event: " + data["type"].get<std::string>() + "\n" + data_event(data);
}

Json chat_usage(const std::string& text) {
  return {{"prompt_tokens", 11},
          {"completion_tokens", words_in(text)},
          {"total_tokens", 11 + words_in(text)},
          {"prompt_tokens_details", {{"cached_tokens", 3}}},
          {"completion_tokens_details", {{"reasoning_tokens", 2}}}};
}

Json responses_usage(const std::string& text) {
  return {{"input_tokens", 11},
          {"input_tokens_details", {{"cached_tokens", 3}}},
          {"output_tokens", words_in(text)},
          {"output_tokens_details", {{"reasoning_tokens", 2}}}};
}

Json chat_call() {
  return Json::array({{{"id", "call_1"},
                       {"type", "function"},
                       {"function", {{"name", "weather"}, {"arguments", kCallArguments}}}}});
}

std::string chat_finish(const Script& script) {
  if (!script.get("finish").empty()) return script.get("finish");
  return script.get("tool").empty() ? "stop" : "tool_calls";
}

/// One token for the whole text, with as many other ones as were asked for.
Json chat_logprobs(const Json& body, const std::string& text) {
  Json token = {{"token", text}, {"logprob", -0.5}, {"bytes", nullptr}};
  token["top_logprobs"] = Json::array();
  for (long i = 0; i < body.value("top_logprobs", 0L); ++i) {
    token["top_logprobs"].push_back(
        {{"token", fmt::format("other {}", i)}, {"logprob", -1.0 - static_cast<double>(i)}});
  }
  return {{"content", Json::array({std::move(token)})}};
}

/// The texts of several choices stand between "|".
std::string text_of_choice(const std::string& text, long index) {
  std::string_view rest = text;
  for (; index > 0 && rest.find('|') != rest.npos; --index) {
    rest.remove_prefix(rest.find('|') + 1);
  }
  return std::string(rest.substr(0, rest.find('|')));
}

Json chat_body(const Script& script, const std::string& text, const Json& body) {
  Json choices = Json::array();
  const long count = body.value("n", 1L);
  for (long i = 0; i < count; ++i) {
    const std::string said = count == 1 ? text : text_of_choice(text, i);
    Json message = {{"role", "assistant"}, {"content", said}};
    if (!script.get("tool").empty()) {
      message["content"] = nullptr;
      message["tool_calls"] = chat_call();
    }
    choices.push_back({{"index", i}, {"message", message}, {"finish_reason", chat_finish(script)}});
    if (body.value("logprobs", false)) choices.back()["logprobs"] = chat_logprobs(body, said);
  }
  if (script.fault() == "no_choices") choices = Json::array();
  return {{"id", "chatcmpl-1"},
          {"object", "chat.completion"},
          {"created", 1},
          {"model", script.model() + "-2026"},
          {"choices", choices},
          {"usage", script.get("usage") == "none" ? Json() : chat_usage(text)},
          {"system_fingerprint", "fp"}};
}

Json response_object(const Script& script, const std::string& text) {
  Json output = Json::array();
  if (script.get("tool").empty()) {
    output.push_back({{"type", "message"},
                      {"role", "assistant"},
                      {"content", Json::array({{{"type", "output_text"}, {"text", text}}})}});
  } else {
    output.push_back({{"type", "function_call"},
                      {"call_id", "call_1"},
                      {"name", "weather"},
                      {"arguments", kCallArguments}});
  }
  const bool is_cut = script.get("finish") == "length";
  Json object = {{"id", "resp_1"},
                 {"object", "response"},
                 {"status", is_cut ? "incomplete" : "completed"},
                 {"model", script.model() + "-2026"},
                 {"output", output},
                 {"usage", responses_usage(text)}};
  if (is_cut) object["incomplete_details"] = {{"reason", "max_output_tokens"}};
  return object;
}

std::string anthropic_stop(const Script& script) {
  if (!script.get("finish").empty()) return script.get("finish");
  return script.get("tool").empty() ? "end_turn" : "tool_use";
}

Json anthropic_body(const Script& script, const std::string& text) {
  Json content = Json::array({{{"type", "text"}, {"text", text}}});
  if (!script.get("tool").empty()) {
    content = Json::array({{{"type", "tool_use"},
                            {"id", "call_1"},
                            {"name", "weather"},
                            {"input", Json::parse(kCallArguments)}}});
  }
  return {{"id", "msg_1"},
          {"type", "message"},
          {"role", "assistant"},
          {"model", script.model() + "-2026"},
          {"content", content},
          {"stop_reason", anthropic_stop(script)},
          {"usage",
           {{"input_tokens", 5},
            {"cache_creation_input_tokens", 3},
            {"cache_read_input_tokens", 3},
            {"output_tokens", words_in(text)}}}};
}

Json embeddings_body(const Script& script, const Json& body) {
  Json data = Json::array();
  const Json input = body.value("input", Json::array());
  const std::size_t count = input.is_array() ? input.size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    data.push_back({{"object", "embedding"},
                    {"index", i},
                    {"embedding", {0.5, static_cast<double>(i), -1.0}}});
  }
  return {{"object", "list"},
          {"model", script.model() + "-2026"},
          {"data", data},
          {"usage", {{"prompt_tokens", 4}, {"total_tokens", 4}}}};
}

std::vector<std::string> chat_events(const Script& script, const std::string& text) {
  const auto chunk = [&](const Json& delta, const Json& finish) {
    return data_event(
        {{"id", "chatcmpl-1"},
         {"object", "chat.completion.chunk"},
         {"model", script.model() + "-2026"},
         {"choices", Json::array({{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}})}});
  };
  std::vector<std::string> events = {chunk({{"role", "assistant"}, {"content", ""}}, nullptr)};
  if (script.get("tool").empty()) {
    for (const std::string& piece : pieces(text)) {
      events.push_back(chunk({{"content", piece}}, nullptr));
    }
  } else {
    Json call = chat_call();
    call[0]["index"] = 0;
    call[0]["function"]["arguments"] = "{\"city\"";
    events.push_back(chunk({{"tool_calls", call}}, nullptr));
    events.push_back(
        chunk({{"tool_calls",
                Json::array({{{"index", 0}, {"function", {{"arguments", ": \"Paris\"}"}}}}})}},
              nullptr));
  }
  events.push_back(chunk(Json::object(), chat_finish(script)));
  events.push_back(data_event({{"choices", Json::array()}, {"usage", chat_usage(text)}}));
  events.push_back("data: [DONE]\n\n");
  return events;
}

std::vector<std::string> responses_events(const Script& script, const std::string& text) {
  const Json done = response_object(script, text);
  std::vector<std::string> events = {
      named_event({{"type", "response.created"}, {"response", {{"status", "in_progress"}}}})};
  if (script.get("tool").empty()) {
    for (const std::string& piece : pieces(text)) {
      events.push_back(named_event({{"type", "response.output_text.delta"}, {"delta", piece}}));
    }
  }
  events.push_back(
      named_event({{"type", "response." + done["status"].get<std::string>()}, {"response", done}}));
  return events;
}

std::vector<std::string> anthropic_events(const Script& script, const std::string& text) {
  Json message = anthropic_body(script, text);
  const Json usage = message["usage"];
  message["content"] = Json::array();
  message["stop_reason"] = nullptr;
  message["usage"]["output_tokens"] = 1;
  std::vector<std::string> events = {
      named_event({{"type", "message_start"}, {"message", message}})};
  const auto delta = [&](const Json& value) {
    events.push_back(
        named_event({{"type", "content_block_delta"}, {"index", 0}, {"delta", value}}));
  };
  const auto start = [&](const Json& block) {
    events.push_back(
        named_event({{"type", "content_block_start"}, {"index", 0}, {"content_block", block}}));
  };
  if (script.get("tool").empty()) {
    start({{"type", "text"}, {"text", ""}});
    events.push_back(named_event({{"type", "ping"}}));
    for (const std::string& piece : pieces(text)) delta({{"type", "text_delta"}, {"text", piece}});
  } else {
    start({{"type", "tool_use"}, {"id", "call_1"}, {"name", "weather"}, {"input", Json::object()}});
    delta({{"type", "input_json_delta"}, {"partial_json", "{\"city\""}});
    delta({{"type", "input_json_delta"}, {"partial_json", ": \"Paris\"}"}});
  }
  events.push_back(named_event({{"type", "content_block_stop"}, {"index", 0}}));
  events.push_back(named_event({{"type", "message_delta"},
                                {"delta", {{"stop_reason", anthropic_stop(script)}}},
                                {"usage", {{"output_tokens", usage["output_tokens"]}}}}));
  events.push_back(named_event({{"type", "message_stop"}}));
  return events;
}

}  // namespace

Shape shape_of(const std::string& path) {
  if (path.ends_with("/chat/completions")) return Shape::kChat;
  if (path.ends_with("/responses")) return Shape::kResponses;
  if (path.ends_with("/messages")) return Shape::kAnthropic;
  if (path.ends_with("/embeddings")) return Shape::kEmbeddings;
  if (path.ends_with("/models")) return Shape::kModels;
  return Shape::kUnknown;
}

std::string answer_text(const Script& script, const Json& body) {
  if (!script.get("text").empty()) return script.get("text");
  const std::string asked = last_text(body);
  if (asked.starts_with("say ")) return asked.substr(4);
  std::string text = "w0";
  for (long i = 1; i < script.number("tokens", 3); ++i) text += fmt::format(" w{}", i);
  return text;
}

std::string whole_body(Shape shape, const Script& script, const Json& body) {
  const std::string text = answer_text(script, body);
  switch (shape) {
    case Shape::kChat:
      return filecall::dump_json(chat_body(script, text, body));
    case Shape::kResponses:
      return filecall::dump_json(response_object(script, text));
    case Shape::kAnthropic:
      return filecall::dump_json(anthropic_body(script, text));
    case Shape::kEmbeddings:
      return filecall::dump_json(embeddings_body(script, body));
    case Shape::kModels:
      return R"({"object":"list","data":[{"id":"small","object":"model"},{"id":"large"}]})";
    case Shape::kUnknown:
      break;
  }
  return "{}";
}

std::vector<std::string> stream_events(Shape shape, const Script& script, const Json& body) {
  const std::string text = answer_text(script, body);
  if (shape == Shape::kAnthropic) return anthropic_events(script, text);
  if (shape == Shape::kResponses) return responses_events(script, text);
  return chat_events(script, text);
}

std::string error_body(Shape shape, const Script& script) {
  Json error = {{"type", script.get("type").empty() ? "api_error" : script.get("type")},
                {"message", script.get("message").empty() ? "scripted" : script.get("message")}};
  if (shape == Shape::kAnthropic) {
    return filecall::dump_json({{"type", "error"}, {"error", error}, {"request_id", "req_1"}});
  }
  error["code"] = script.get("code").empty() ? Json() : Json(script.get("code"));
  error["param"] = nullptr;
  return filecall::dump_json({{"error", error}});
}

std::string error_event(Shape shape, const Script& script) {
  const std::string body = error_body(shape, script);
  if (shape == Shape::kChat) return "data: " + body + "\n\n";
  if (shape == Shape::kAnthropic) return "event: error\ndata: " + body + "\n\n";
  const Json error = Json::parse(body)["error"];
  return named_event({{"type", "error"},
                      {"code", error.value("code", Json())},
                      {"message", error["message"]},
                      {"param", nullptr}});
}

}  // namespace endpoint
