// SPDX-License-Identifier: MIT
#include "worker/exec/llm/anthropic_messages.h"

#include <utility>

#include "base/result.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::llm {
namespace {

/// "data:image/png;base64,AAAA" as {type, media_type, data}; another URL by reference.
Json image_source(const std::string& url) {
  constexpr std::string_view kData = "data:", kBase64 = ";base64,";
  const auto split = url.find(kBase64);
  if (!url.starts_with(kData) || split == std::string::npos) {
    return {{"type", "url"}, {"url", url}};
  }
  return {{"type", "base64"},
          {"media_type", url.substr(kData.size(), split - kData.size())},
          {"data", url.substr(split + kBase64.size())}};
}

Json encode_part(const ContentPart& part) {
  switch (part.kind) {
    case ContentPart::Kind::kText:
      return {{"type", "text"}, {"text", part.text}};
    case ContentPart::Kind::kImage:
      return {{"type", "image"}, {"source", image_source(part.url)}};
    case ContentPart::Kind::kOther:
      break;
  }
  return part.other;
}

Json encode_parts(const ChatMessage& message) {
  Json blocks = Json::array();
  for (const ContentPart& part : message.parts) {
    // An empty text block is refused.
    if (part.kind == ContentPart::Kind::kText && part.text.empty()) continue;
    blocks.push_back(encode_part(part));
  }
  return blocks;
}

Result<Json, Failure> encode_blocks(const ChatMessage& message) {
  if (message.role == Role::kTool) {
    return Json::array({{{"type", "tool_result"},
                         {"tool_use_id", message.tool_call_id},
                         {"content", encode_parts(message)}}});
  }
  Json blocks = encode_parts(message);
  for (const ChatToolCall& call : message.tool_calls) {
    auto input = parse_foreign(call.arguments.empty() ? "{}" : call.arguments);
    if (!input || !input->is_object()) {
      return bad_param("/messages",
                       "a tool call's arguments are not a JSON object, which this "
                       "provider demands");
    }
    blocks.push_back(
        {{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", std::move(*input)}});
  }
  return blocks;
}

std::optional<Failure> encode_messages(const ChatParams& params, Json& body) {
  std::string system;
  Json messages = Json::array();
  for (const ChatMessage& message : params.messages) {
    if (message.role == Role::kSystem || message.role == Role::kDeveloper) {
      if (!system.empty()) system += "\n\n";
      system += message.text();
      continue;
    }
    auto blocks = encode_blocks(message);
    if (!blocks) return std::move(blocks).error();
    const char* role = message.role == Role::kAssistant ? "assistant" : "user";
    // Results of parallel tools belong into one message; so turns of one role are one.
    if (messages.empty() || messages.back()["role"] != role) {
      messages.push_back({{"role", role}, {"content", Json::array()}});
    }
    for (Json& block : *blocks) {
      messages.back()["content"].push_back(std::move(block));
    }
  }
  if (!system.empty()) body["system"] = system;
  body["messages"] = std::move(messages);
  return std::nullopt;
}

void encode_tools(const ChatParams& params, Json& body) {
  for (const ToolSpec& tool : params.tools) {
    Json out = {
        {"name", tool.name},
        {"input_schema", tool.parameters.is_object() ? tool.parameters : Json{{"type", "object"}}}};
    if (!tool.description.empty()) out["description"] = tool.description;
    body["tools"].push_back(std::move(out));
  }
  if (!params.tool_choice && !params.parallel_tool_calls) return;
  Json choice = {{"type", "auto"}};
  if (params.tool_choice) {
    switch (params.tool_choice->mode) {
      case ToolChoice::Mode::kAuto:
        break;
      case ToolChoice::Mode::kNone:
        choice = {{"type", "none"}};
        break;
      case ToolChoice::Mode::kRequired:
        choice = {{"type", "any"}};
        break;
      case ToolChoice::Mode::kFunction:
        choice = {{"type", "tool"}, {"name", params.tool_choice->name}};
        break;
    }
  }
  if (params.parallel_tool_calls && choice["type"] != "none") {
    choice["disable_parallel_tool_use"] = !*params.parallel_tool_calls;
  }
  body["tool_choice"] = std::move(choice);
}

void read_block(const Json& block, ChatResult& result) {
  const std::string type = text_member(block, "type");
  if (type == "text") {
    result.text += text_member(block, "text");
  } else if (type == "thinking") {
    result.reasoning += text_member(block, "thinking");
  } else if (type == "tool_use") {
    const Json& input = member(block, "input");
    result.tool_calls.push_back({text_member(block, "id"), text_member(block, "name"),
                                 dump_json(input.is_object() ? input : Json::object())});
  }
}

/// The provider's own words for a refusal, or its category.
std::string refusal_text(const Json& details) {
  const std::string text = text_member(details, "explanation");
  return text.empty() ? text_member(details, "category") : text;
}

void read_stop(const Json& from, ChatResult& result) {
  result.finish_reason = anthropic_finish(text_member(from, "stop_reason"));
  if (result.finish_reason == FinishReason::kRefusal) {
    result.refusal = refusal_text(member(from, "stop_details"));
  }
}

/// The later usage counts from the start too: what it does not say stays.
void merge(const Usage& later, Usage& usage) {
  if (later.input_tokens.value_or(0) > 0) usage.input_tokens = later.input_tokens;
  if (later.cached_input_tokens.value_or(0) > 0) {
    usage.cached_input_tokens = later.cached_input_tokens;
  }
  if (later.output_tokens) usage.output_tokens = later.output_tokens;
  if (later.reasoning_tokens) usage.reasoning_tokens = later.reasoning_tokens;
}

class AnthropicStream final : public ChatStream {
 public:
  bool read(const SseEvent& event, const OnDelta& on_delta) override {
    if (is_over_ || event.data.starts_with("[DONE]")) return false;
    const Json data = read_object(event);
    if (data.is_null()) return true;
    const std::string type = text_member(data, "type");
    if (type == "ping") return false;
    if (type == "message_start") {
      start(member(data, "message"));
    } else if (type == "content_block_start") {
      start_block(data);
    } else if (type == "content_block_delta") {
      read_delta(member(data, "delta"), on_delta);
    } else if (type == "message_delta") {
      const Json& delta = member(data, "delta");
      if (member(delta, "stop_reason").is_string()) read_stop(delta, result_);
      merge(anthropic_usage(member(data, "usage")), result_.usage);
    } else if (type == "message_stop") {
      for (ChatToolCall& call : result_.tool_calls) {
        if (call.arguments.empty()) call.arguments = "{}";
      }
      is_finished_ = is_over_ = true;
    }
    return true;
  }

 private:
  void start(const Json& message) {
    result_.id = text_member(message, "id");
    result_.model = text_member(message, "model");
    result_.usage = anthropic_usage(member(message, "usage"));
  }

  void start_block(const Json& data) {
    const Json& block = member(data, "content_block");
    if (text_member(block, "type") == "tool_use") {
      result_.tool_calls.push_back({text_member(block, "id"), text_member(block, "name"), ""});
    }
  }

  void read_delta(const Json& delta, const OnDelta& on_delta) {
    const std::string type = text_member(delta, "type");
    if (type == "text_delta") {
      result_.text += text_member(delta, "text");
      on_delta({ChatDelta::Kind::kText, text_member(delta, "text"), 0});
    } else if (type == "thinking_delta") {
      result_.reasoning += text_member(delta, "thinking");
      on_delta({ChatDelta::Kind::kReasoning, text_member(delta, "thinking"), 0});
    } else if (type == "input_json_delta" && !result_.tool_calls.empty()) {
      // Blocks come one after the other.
      result_.tool_calls.back().arguments += text_member(delta, "partial_json");
      on_delta({ChatDelta::Kind::kToolCall, text_member(delta, "partial_json"),
                result_.tool_calls.size() - 1});
    }
  }
};

}  // namespace

FinishReason anthropic_finish(const std::string& stop_reason) {
  if (stop_reason == "end_turn" || stop_reason == "stop_sequence") return FinishReason::kStop;
  if (stop_reason == "max_tokens" || stop_reason == "model_context_window_exceeded") {
    return FinishReason::kLength;
  }
  if (stop_reason == "tool_use") return FinishReason::kToolCalls;
  if (stop_reason == "refusal") return FinishReason::kRefusal;
  return FinishReason::kUnknown;
}

Usage anthropic_usage(const Json& usage) {
  Usage result;
  const auto fresh = count_member(usage, "input_tokens");
  const auto written = count_member(usage, "cache_creation_input_tokens");
  const auto read = count_member(usage, "cache_read_input_tokens");
  if (fresh) result.input_tokens = *fresh + written.value_or(0) + read.value_or(0);
  result.cached_input_tokens = read;
  result.output_tokens = count_member(usage, "output_tokens");
  result.reasoning_tokens =
      count_member(member(usage, "output_tokens_details"), "reasoning_tokens");
  return result;
}

Result<Json, Failure> encode_anthropic(const ChatParams& params, const Dialect& dialect) {
  Json body = {{"model", params.model},
               {"max_tokens", params.max_tokens.value_or(dialect.max_tokens)}};
  if (auto failure = encode_messages(params, body)) return std::move(*failure);
  if (params.temperature) body["temperature"] = *params.temperature;
  if (params.top_p) body["top_p"] = *params.top_p;
  if (params.top_k) body["top_k"] = *params.top_k;
  if (!params.stop.empty()) body["stop_sequences"] = params.stop;
  if (!params.reasoning_effort.empty()) body["output_config"]["effort"] = params.reasoning_effort;
  if (params.response_format) {
    switch (params.response_format->kind) {
      case ResponseFormat::Kind::kText:
        break;
      case ResponseFormat::Kind::kJsonObject:
        return bad_param("/response_format",
                         "this provider takes json_schema only; give the schema");
      case ResponseFormat::Kind::kJsonSchema:
        body["output_config"]["format"] = {{"type", "json_schema"},
                                           {"schema", params.response_format->schema}};
        break;
    }
  }
  encode_tools(params, body);
  if (params.stream) body["stream"] = true;
  return body;
}

Result<ChatResult, WireError> decode_anthropic(const Json& body) {
  const Json& content = member(body, "content");
  if (!content.is_array()) return bad_response("the response has no content");
  ChatResult result;
  for (const Json& block : content) read_block(block, result);
  read_stop(body, result);
  result.usage = anthropic_usage(member(body, "usage"));
  result.model = text_member(body, "model");
  result.id = text_member(body, "id");
  return result;
}

std::unique_ptr<ChatStream> make_anthropic_stream() { return std::make_unique<AnthropicStream>(); }

}  // namespace filecall::worker::llm
