// SPDX-License-Identifier: MIT
#include "worker/exec/llm/chat_codec.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/result.h"
#include "worker/exec/json_read.h"
#include "worker/exec/llm/anthropic_messages.h"
#include "worker/exec/llm/openai_chat.h"
#include "worker/exec/llm/openai_responses.h"

namespace filecall::worker::llm {

Json ChatStream::read_object(const SseEvent& event) {
  const auto joined = surrogates_.join(event.data);
  auto data = parse_foreign(joined ? *joined : event.data);
  if (!data || !data->is_object()) {
    fail_with(bad_response("an event of the stream is not a JSON object"));
    return nullptr;
  }
  if (auto error = find_wire_error(*data, 200)) {
    fail_with(std::move(*error));
    return nullptr;
  }
  return std::move(*data);
}

void ChatStream::fail_with(WireError error) {
  error.is_in_stream = true;
  if (!error_) error_ = std::move(error);
  is_over_ = true;
}

WireError bad_response(std::string message) {
  WireError error;
  error.status = 200;
  error.type = kBadResponseType;
  error.message = std::move(message);
  return error;
}

Failure unknown_field(std::string_view field, const Dialect& dialect) {
  return bad_param(fmt::format("/{}", field),
                   fmt::format("a provider of kind {} and profile {} does not take it; leave it "
                               "out, or say it in extra_body in that provider's own words",
                               to_string(dialect.kind), dialect.profile->name));
}

ProviderKind kind_of_call(const ChatParams& params, const Dialect& dialect) {
  return params.responses_body.is_object() ? ProviderKind::kOpenAiResponses : dialect.kind;
}

std::string chat_path(ProviderKind kind) {
  switch (kind) {
    case ProviderKind::kOpenAi:
      return "/chat/completions";
    case ProviderKind::kOpenAiResponses:
      return "/responses";
    case ProviderKind::kAnthropic:
      break;
  }
  return "/v1/messages";
}

namespace {

/// What the format of a provider has no member for, whatever its profile says.
bool has_no_member(ProviderKind kind, std::string_view field) {
  static constexpr std::string_view kNotInResponses[] = {"stop", "seed", "frequency_penalty",
                                                         "presence_penalty", "n"};
  return kind == ProviderKind::kOpenAiResponses &&
         std::find(std::begin(kNotInResponses), std::end(kNotInResponses), field) !=
             std::end(kNotInResponses);
}

}  // namespace

std::vector<std::string> optional_params(ProviderKind kind, const Profile& profile) {
  std::vector<std::string> params;
  for (const std::string_view field : profile.fields) {
    if (!has_no_member(kind, field)) params.emplace_back(field);
  }
  return params;
}

namespace {

std::optional<Failure> refuse_fields(const ChatParams& params, const Dialect& dialect) {
  const std::pair<std::string_view, bool> asked[] = {
      {"temperature", params.temperature.has_value()},
      {"top_p", params.top_p.has_value()},
      {"top_k", params.top_k.has_value()},
      {"stop", !params.stop.empty()},
      {"seed", params.seed.has_value()},
      {"frequency_penalty", params.frequency_penalty.has_value()},
      {"presence_penalty", params.presence_penalty.has_value()},
      {"response_format", params.response_format.has_value()},
      {"tools", !params.tools.empty()},
      {"tool_choice", params.tool_choice.has_value()},
      {"parallel_tool_calls", params.parallel_tool_calls.has_value()},
      {"reasoning_effort", !params.reasoning_effort.empty()},
      {"n", params.n.value_or(1) > 1},
      {"logprobs", params.logprobs},
      {"top_logprobs", params.top_logprobs.has_value()},
  };
  for (const auto& [field, is_asked] : asked) {
    if (!is_asked) continue;
    if (!dialect.profile->knows(field) || has_no_member(dialect.kind, field)) {
      return unknown_field(field, dialect);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> refuse_chat(const ChatParams& params, const Dialect& dialect) {
  if (auto refused = refuse_fields(params, dialect)) return refused;
  // A body is a copy of all that is said; what is refused of the others is found on the way.
  if (kind_of_call(params, dialect) == ProviderKind::kOpenAi) {
    return refuse_openai_chat(params, dialect);
  }
  auto encoded = encode_chat(params, dialect);
  return encoded ? std::nullopt : std::optional(std::move(encoded).error());
}

Result<Json, Failure> encode_chat(const ChatParams& params, const Dialect& dialect) {
  if (auto refused = refuse_fields(params, dialect)) return *std::move(refused);
  switch (kind_of_call(params, dialect)) {
    case ProviderKind::kOpenAi:
      if (auto refused = refuse_openai_chat(params, dialect)) return *std::move(refused);
      return encode_openai_chat(params, dialect);
    case ProviderKind::kOpenAiResponses:
      return encode_openai_responses(params, dialect);
    case ProviderKind::kAnthropic:
      break;
  }
  return encode_anthropic(params, dialect);
}

Result<ChatResult, WireError> decode_chat(ProviderKind kind, const Json& body) {
  if (!body.is_object()) return bad_response("the response is not a JSON object");
  if (auto error = find_wire_error(body, 200)) return std::move(*error);
  switch (kind) {
    case ProviderKind::kOpenAi:
      return decode_openai_chat(body);
    case ProviderKind::kOpenAiResponses:
      return decode_openai_response(body);
    case ProviderKind::kAnthropic:
      break;
  }
  return decode_anthropic(body);
}

std::unique_ptr<ChatStream> make_chat_stream(ProviderKind kind) {
  switch (kind) {
    case ProviderKind::kOpenAi:
      return make_openai_chat_stream();
    case ProviderKind::kOpenAiResponses:
      return make_openai_responses_stream();
    case ProviderKind::kAnthropic:
      break;
  }
  return make_anthropic_stream();
}

}  // namespace filecall::worker::llm
