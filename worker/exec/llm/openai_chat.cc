// SPDX-License-Identifier: MIT
#include "worker/exec/llm/openai_chat.h"

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/llm/openai_tools.h"

namespace filecall::worker::llm {
namespace {

constexpr std::size_t kChoicesMax = 128;

Json encode_content(const ChatMessage& message) {
  const bool is_plain =
      message.parts.size() == 1 && message.parts.front().kind == ContentPart::Kind::kText;
  if (is_plain) return message.parts.front().text;
  Json parts = Json::array();
  for (const ContentPart& part : message.parts) {
    switch (part.kind) {
      case ContentPart::Kind::kText:
        parts.push_back({{"type", "text"}, {"text", part.text}});
        break;
      case ContentPart::Kind::kImage: {
        Json image = {{"url", part.url}};
        if (!part.detail.empty()) image["detail"] = part.detail;
        parts.push_back({{"type", "image_url"}, {"image_url", std::move(image)}});
        break;
      }
      case ContentPart::Kind::kOther:
        parts.push_back(part.other);
        break;
    }
  }
  return parts;
}

Json encode_message(const ChatMessage& message, const Dialect& dialect) {
  Json out = {{"role", to_string(message.role)}};
  // Only OpenAI's own endpoints know developers.
  if (message.role == Role::kDeveloper && dialect.profile->max_tokens_field == "max_tokens") {
    out["role"] = "system";
  }
  if (!message.name.empty()) out["name"] = message.name;
  if (message.role == Role::kTool) out["tool_call_id"] = message.tool_call_id;
  out["content"] = nullptr;
  if (!message.parts.empty()) out["content"] = encode_content(message);
  for (const ChatToolCall& call : message.tool_calls) {
    out["tool_calls"].push_back(
        {{"id", call.id},
         {"type", "function"},
         {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  return out;
}

void encode_format(const ResponseFormat& format, Json& body) {
  if (format.kind == ResponseFormat::Kind::kText) return;
  if (format.kind == ResponseFormat::Kind::kJsonObject) {
    body["response_format"] = {{"type", "json_object"}};
    return;
  }
  Json schema = {{"name", format.name}, {"schema", format.schema}};
  if (format.strict) schema["strict"] = *format.strict;
  body["response_format"] = {{"type", "json_schema"}, {"json_schema", std::move(schema)}};
}

FinishReason finish_reason(const std::string& text) {
  if (text == "stop" || text == "end_turn" || text == "eos") return FinishReason::kStop;
  if (text == "length" || text == "max_tokens") return FinishReason::kLength;
  if (text == "tool_calls" || text == "function_call") return FinishReason::kToolCalls;
  if (text == "content_filter") return FinishReason::kContentFilter;
  return FinishReason::kUnknown;
}

/// What a reason means together with what was said: some servers say "stop" for everything.
void settle_finish(ChatChoice& result) {
  if (result.finish_reason == FinishReason::kStop && !result.tool_calls.empty()) {
    result.finish_reason = FinishReason::kToolCalls;
  }
  if (!result.refusal.empty()) result.finish_reason = FinishReason::kRefusal;
}

std::string reasoning_of(const Json& message) {
  // llama.cpp and vLLM; Ollama, OpenRouter and other versions of vLLM.
  const std::string text = text_member(message, "reasoning_content");
  return text.empty() ? text_member(message, "reasoning") : text;
}

std::string content_text(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (content.is_array()) {
    for (const Json& part : content) text += text_member(part, "text");
  }
  return text;
}

ChatChoice read_choice(const Json& choice) {
  const Json& message = member(choice, "message");
  ChatChoice result;
  result.text = content_text(member(message, "content"));
  result.reasoning = reasoning_of(message);
  result.refusal = text_member(message, "refusal");
  if (const Json& calls = member(message, "tool_calls"); calls.is_array()) {
    for (const Json& call : calls) {
      const Json& function = member(call, "function");
      result.tool_calls.push_back({text_member(call, "id"), text_member(function, "name"),
                                   text_member(function, "arguments")});
    }
  }
  result.finish_reason = finish_reason(text_member(choice, "finish_reason"));
  settle_finish(result);
  add_logprobs(member(member(choice, "logprobs"), "content"), result.logprobs);
  return result;
}

class OpenAiChatStream final : public ChatStream {
 public:
  bool read(const SseEvent& event, const OnDelta& on_delta) override;

 private:
  void read_delta(const Json& delta, const OnDelta& on_delta);
  void read_call(const Json& fragment, const OnDelta& on_delta);
};

bool OpenAiChatStream::read(const SseEvent& event, const OnDelta& on_delta) {
  if (is_over_) return false;
  if (event.data.starts_with("[DONE]")) {
    is_over_ = true;
    return true;
  }
  const Json chunk = read_object(event);
  if (chunk.is_null()) return true;
  if (const std::string model = text_member(chunk, "model"); !model.empty()) result_.model = model;
  if (const std::string id = text_member(chunk, "id"); !id.empty()) result_.id = id;
  if (const std::string print = text_member(chunk, "system_fingerprint"); !print.empty()) {
    result_.fingerprint = print;
  }
  if (member(chunk, "usage").is_object()) result_.usage = openai_chat_usage(chunk["usage"]);
  const Json& choices = member(chunk, "choices");
  if (!choices.is_array()) return true;
  for (const Json& choice : choices) {
    if (count_member(choice, "index").value_or(0) != 0) continue;
    read_delta(member(choice, "delta"), on_delta);
    add_logprobs(member(member(choice, "logprobs"), "content"), result_.logprobs);
    const std::string reason = text_member(choice, "finish_reason");
    if (reason.empty()) continue;
    result_.finish_reason = finish_reason(reason);
    is_finished_ = true;
    settle_finish(result_);
  }
  return true;
}

void OpenAiChatStream::read_delta(const Json& delta, const OnDelta& on_delta) {
  if (std::string text = content_text(member(delta, "content")); !text.empty()) {
    result_.text += text;
    on_delta({ChatDelta::Kind::kText, std::move(text), 0});
  }
  if (std::string text = reasoning_of(delta); !text.empty()) {
    result_.reasoning += text;
    on_delta({ChatDelta::Kind::kReasoning, std::move(text), 0});
  }
  if (std::string text = text_member(delta, "refusal"); !text.empty()) {
    result_.refusal += text;
    on_delta({ChatDelta::Kind::kRefusal, std::move(text), 0});
  }
  const Json& calls = member(delta, "tool_calls");
  if (!calls.is_array()) return;
  for (const Json& fragment : calls) read_call(fragment, on_delta);
}

void OpenAiChatStream::read_call(const Json& fragment, const OnDelta& on_delta) {
  constexpr std::size_t kCallsMax = 256;
  const auto index = static_cast<std::size_t>(count_member(fragment, "index").value_or(0));
  if (index >= kCallsMax) return;
  if (result_.tool_calls.size() <= index) result_.tool_calls.resize(index + 1);
  ChatToolCall& call = result_.tool_calls[index];
  const Json& function = member(fragment, "function");
  if (const std::string id = text_member(fragment, "id"); !id.empty()) call.id = id;
  if (const std::string name = text_member(function, "name"); !name.empty()) call.name = name;
  std::string arguments = text_member(function, "arguments");
  call.arguments += arguments;
  on_delta({ChatDelta::Kind::kToolCall, std::move(arguments), index});
}

}  // namespace

Usage openai_chat_usage(const Json& usage) {
  return {count_member(usage, "prompt_tokens"), count_member(usage, "completion_tokens"),
          count_member(member(usage, "prompt_tokens_details"), "cached_tokens"),
          count_member(member(usage, "completion_tokens_details"), "reasoning_tokens")};
}

std::optional<Failure> refuse_openai_chat(const ChatParams& params, const Dialect& dialect) {
  if (dialect.profile->takes_image_urls) return std::nullopt;
  for (const ChatMessage& message : params.messages) {
    for (const ContentPart& part : message.parts) {
      if (part.kind != ContentPart::Kind::kImage || part.url.starts_with("data:")) continue;
      return bad_param("/messages", "this provider takes images only as data: URIs");
    }
  }
  return std::nullopt;
}

Json encode_openai_chat(const ChatParams& params, const Dialect& dialect) {
  Json body = {{"model", params.model}, {"messages", Json::array()}};
  for (const ChatMessage& message : params.messages) {
    body["messages"].push_back(encode_message(message, dialect));
  }
  const auto put = [&](const char* name, const auto& value) {
    if (value) body[name] = *value;
  };
  put("temperature", params.temperature);
  put("top_p", params.top_p);
  put("top_k", params.top_k);
  put("seed", params.seed);
  if (params.n.value_or(1) > 1) body["n"] = *params.n;
  put("top_logprobs", params.top_logprobs);
  if (params.logprobs) body["logprobs"] = true;
  put("frequency_penalty", params.frequency_penalty);
  put("presence_penalty", params.presence_penalty);
  put(dialect.profile->max_tokens_field.data(), params.max_tokens);
  if (!params.stop.empty()) body["stop"] = params.stop;
  if (!params.reasoning_effort.empty()) body["reasoning_effort"] = params.reasoning_effort;
  if (params.response_format) encode_format(*params.response_format, body);
  encode_openai_tools(params, FunctionPlace::kNested, body);
  if (params.stream) {
    body["stream"] = true;
    if (dialect.profile->sends_usage_in_stream) {
      body["stream_options"] = {{"include_usage", true}};
      if (dialect.profile->pads_streams) body["stream_options"]["include_obfuscation"] = false;
    }
  }
  return body;
}

Result<ChatResult, WireError> decode_openai_chat(const Json& body) {
  const Json& choices = member(body, "choices");
  if (!choices.is_array() || choices.empty()) return bad_response("the response has no choices");
  if (!member(choices[0], "message").is_object()) {
    return bad_response("the response's first choice has no message");
  }
  ChatResult result;
  static_cast<ChatChoice&>(result) = read_choice(choices[0]);
  for (std::size_t i = 1; i < choices.size() && i < kChoicesMax; ++i) {
    result.others.push_back(read_choice(choices[i]));
  }
  result.usage = openai_chat_usage(member(body, "usage"));
  result.model = text_member(body, "model");
  result.id = text_member(body, "id");
  result.fingerprint = text_member(body, "system_fingerprint");
  return result;
}

std::unique_ptr<ChatStream> make_openai_chat_stream() {
  return std::make_unique<OpenAiChatStream>();
}

}  // namespace filecall::worker::llm
