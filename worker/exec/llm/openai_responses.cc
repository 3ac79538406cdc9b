// SPDX-License-Identifier: MIT
#include "worker/exec/llm/openai_responses.h"

#include <utility>

#include "base/result.h"
#include "worker/exec/json_read.h"
#include "worker/exec/llm/openai_tools.h"

namespace filecall::worker::llm {
namespace {

Json encode_input_part(const ContentPart& part, Role role) {
  switch (part.kind) {
    case ContentPart::Kind::kText:
      return {{"type", role == Role::kAssistant ? "output_text" : "input_text"},
              {"text", part.text}};
    case ContentPart::Kind::kImage: {
      Json image = {{"type", "input_image"}, {"image_url", part.url}};
      if (!part.detail.empty()) image["detail"] = part.detail;
      return image;
    }
    case ContentPart::Kind::kOther:
      break;
  }
  return part.other;
}

void encode_input_message(const ChatMessage& message, Json& input) {
  if (message.role == Role::kTool) {
    input.push_back({{"type", "function_call_output"},
                     {"call_id", message.tool_call_id},
                     {"output", message.text()}});
    return;
  }
  if (!message.parts.empty()) {
    Json content = Json::array();
    for (const ContentPart& part : message.parts)
      content.push_back(encode_input_part(part, message.role));
    input.push_back(
        {{"type", "message"}, {"role", to_string(message.role)}, {"content", std::move(content)}});
  }
  for (const ChatToolCall& call : message.tool_calls) {
    input.push_back({{"type", "function_call"},
                     {"call_id", call.id},
                     {"name", call.name},
                     {"arguments", call.arguments}});
  }
}

Json encode_text_format(const ResponseFormat& format) {
  if (format.kind == ResponseFormat::Kind::kJsonObject) return {{"type", "json_object"}};
  Json out = {{"type", "json_schema"}, {"name", format.name}, {"schema", format.schema}};
  if (format.strict) out["strict"] = *format.strict;
  return out;
}

Usage read_usage(const Json& usage) {
  return {count_member(usage, "input_tokens"), count_member(usage, "output_tokens"),
          count_member(member(usage, "input_tokens_details"), "cached_tokens"),
          count_member(member(usage, "output_tokens_details"), "reasoning_tokens")};
}

void read_output(const Json& item, ChatResult& result) {
  const std::string type = text_member(item, "type");
  if (type == "function_call") {
    result.tool_calls.push_back(
        {text_member(item, "call_id"), text_member(item, "name"), text_member(item, "arguments")});
    return;
  }
  const Json& parts = member(item, type == "reasoning" ? "summary" : "content");
  if (!parts.is_array()) return;
  for (const Json& part : parts) {
    if (type == "reasoning") {
      result.reasoning += text_member(part, "text");
    } else if (text_member(part, "type") == "refusal") {
      result.refusal += text_member(part, "refusal");
    } else {
      result.text += text_member(part, "text");
      add_logprobs(member(part, "logprobs"), result.logprobs);
    }
  }
}

FinishReason status_reason(const Json& body, const ChatResult& result) {
  if (text_member(body, "status") == "incomplete") {
    const std::string reason = text_member(member(body, "incomplete_details"), "reason");
    if (reason == "max_output_tokens") return FinishReason::kLength;
    return reason == "content_filter" ? FinishReason::kContentFilter : FinishReason::kUnknown;
  }
  if (!result.refusal.empty()) return FinishReason::kRefusal;
  return result.tool_calls.empty() ? FinishReason::kStop : FinishReason::kToolCalls;
}

class OpenAiResponsesStream final : public ChatStream {
 public:
  bool read(const SseEvent& event, const OnDelta& on_delta) override {
    if (is_over_ || event.data.starts_with("[DONE]")) return false;
    // Its error events have the error's members beside the type.
    const Json data = read_object(event);
    if (data.is_null()) return true;
    const std::string type = text_member(data, "type");
    if (type == "response.output_text.delta") {
      add(ChatDelta::Kind::kText, result_.text, data, on_delta);
    } else if (type == "response.refusal.delta") {
      add(ChatDelta::Kind::kRefusal, result_.refusal, data, on_delta);
    } else if (type == "response.reasoning_summary_text.delta" ||
               type == "response.reasoning_text.delta") {
      add(ChatDelta::Kind::kReasoning, result_.reasoning, data, on_delta);
    } else if (type == "response.function_call_arguments.delta") {
      on_delta({ChatDelta::Kind::kToolCall, text_member(data, "delta"),
                static_cast<std::size_t>(count_member(data, "output_index").value_or(0))});
    } else if (type == "response.completed" || type == "response.incomplete" ||
               type == "response.failed") {
      end(member(data, "response"));
    }
    return true;
  }

 private:
  static void add(ChatDelta::Kind kind, std::string& to, const Json& data,
                  const OnDelta& on_delta) {
    std::string text = text_member(data, "delta");
    to += text;
    on_delta({kind, std::move(text), 0});
  }

  /// The last event holds the whole answer: it counts, and not what was pieced together.
  void end(const Json& response) {
    if (auto error = find_wire_error(response, 200)) return fail_with(std::move(*error));
    auto decoded = decode_openai_response(response);
    if (!decoded) return fail_with(std::move(decoded).error());
    result_ = *std::move(decoded);
    is_finished_ = is_over_ = true;
  }
};

}  // namespace

Result<Json, Failure> encode_openai_responses(const ChatParams& params, const Dialect&) {
  Json body = params.responses_body;
  if (!body.is_object()) {
    // Nothing is kept at the provider: every request stands alone.
    body = {{"input", Json::array()}, {"store", false}};
    for (const ChatMessage& message : params.messages) encode_input_message(message, body["input"]);
  }
  body["model"] = params.model;
  if (params.temperature) body["temperature"] = *params.temperature;
  if (params.top_p) body["top_p"] = *params.top_p;
  if (params.top_k) body["top_k"] = *params.top_k;
  if (params.max_tokens) body["max_output_tokens"] = *params.max_tokens;
  if (!params.reasoning_effort.empty()) body["reasoning"]["effort"] = params.reasoning_effort;
  const bool says_format = params.responses_body.is_object() && body.contains("text");
  if (params.response_format && params.response_format->kind != ResponseFormat::Kind::kText &&
      !says_format) {
    body["text"] = {{"format", encode_text_format(*params.response_format)}};
  }
  if (params.logprobs) body["include"] = {"message.output_text.logprobs"};
  if (params.top_logprobs) body["top_logprobs"] = *params.top_logprobs;
  encode_openai_tools(params, FunctionPlace::kBeside, body);
  if (params.stream) body["stream"] = true;
  return body;
}

Result<ChatResult, WireError> decode_openai_response(const Json& body) {
  const std::string status = text_member(body, "status");
  if (status != "completed" && status != "incomplete") {
    return bad_response("the response's status is neither completed nor incomplete");
  }
  const Json& output = member(body, "output");
  if (!output.is_array()) return bad_response("the response has no output");
  ChatResult result;
  for (const Json& item : output) read_output(item, result);
  result.finish_reason = status_reason(body, result);
  result.usage = read_usage(member(body, "usage"));
  result.model = text_member(body, "model");
  result.id = text_member(body, "id");
  return result;
}

std::unique_ptr<ChatStream> make_openai_responses_stream() {
  return std::make_unique<OpenAiResponsesStream>();
}

}  // namespace filecall::worker::llm
