// SPDX-License-Identifier: MIT
#include "worker/exec/llm/llm_chat.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/result.h"
#include "worker/exec/llm/chat_call.h"
#include "worker/exec/llm/responses_body.h"

namespace filecall::worker::llm {
namespace {

constexpr double kBytesPerToken = 4;

/// Long answers take longer than any fixed limit: Anthropic's own libraries reckon 128 000 tokens
/// an hour.
Duration total_for(Duration configured, std::optional<std::int64_t> max_tokens) {
  constexpr double kTokensPerHour = 128'000;
  if (!max_tokens) return configured;
  const auto needed = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(
      3600 * static_cast<double>(std::min<std::int64_t>(*max_tokens, 10'000'000)) /
      kTokensPerHour));
  return std::max(configured, needed);
}

/// Bytes of all texts in a value; images as data URIs would count as far too many tokens.
std::size_t text_bytes(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return text.starts_with("data:") ? 0 : text.size();
  }
  std::size_t sum = 0;
  if (value.is_structured()) {
    for (const Json& inner : value) sum += text_bytes(inner);
  }
  return sum;
}

Failure no_model(const Provider& provider) {
  return bad_param("/model", fmt::format("missing, and provider {} has no default; name one, or "
                                         "list models in its configuration",
                                         provider.name()));
}

/// The most that the answer may have; more than any has for absurd numbers.
std::int64_t asked_tokens(const ChatParams& params) {
  return std::min<std::int64_t>(params.max_tokens.value_or(0), 1'000'000'000) *
         params.n.value_or(1);
}

Result<HttpRequest, Failure> make_request(const Provider& provider, const ChatParams& params) {
  TRY_ASSIGN(auto encoded, encode_chat(params, provider.dialect()));
  HttpRequest request = provider.make_request(
      "POST", chat_path(kind_of_call(params, provider.dialect())),
      merge_body(std::move(encoded), provider.config().extra_body, params.extra_body));
  request.has_own_progress = true;
  request.headers.emplace_back("Accept", params.stream ? "text/event-stream" : "application/json");
  request.timeouts.total = total_for(request.timeouts.total, params.max_tokens);
  return request;
}

}  // namespace

std::string merge_body(Json encoded, const Json& of_provider, const Json& of_request) {
  encoded.update(of_provider);
  encoded.update(of_request);
  return dump_json(encoded);
}

double estimate_tokens(const Request& request, std::int64_t max_tokens) {
  return static_cast<double>(text_bytes(request.params)) / kBytesPerToken +
         static_cast<double>(max_tokens);
}

LlmChat::LlmChat(std::shared_ptr<LlmService> service, std::string_view schema)
    : info_{"llm.chat",
            "Asks a language model once (OpenAI-compatible or Anthropic) and answers its text, "
            "tool "
            "calls, parsed JSON and usage.",
            schema, Effects::kNone, Risk::kLow},
      service_(std::move(service)) {}

Result<LlmChat::Chosen, Failure> LlmChat::choose(const Request& request) {
  TRY_ASSIGN(auto parsed, parse_chat_params(request.params));
  Chosen chosen{std::move(parsed), nullptr};
  ChatParams& params = chosen.params;
  params.stream = params.stream || request.stream;
  TRY_ASSIGN(chosen.provider, service_->choose(params.provider, params.model));
  const ProviderConfig& config = chosen.provider->config();
  const bool is_foreign = config.kind == ProviderKind::kAnthropic || config.is_scripted();
  if (is_foreign && params.responses_body.is_object()) {
    TRY_ASSIGN(const Json converted, chat_params_of_responses(params.responses_body));
    Json said = request.params;
    said.erase("responses_body");
    said.update(converted);
    const std::string model = params.model;
    TRY_ASSIGN(params, parse_chat_params(said));
    params.model = model;
  }
  if (params.model.empty()) params.model = service_->default_model(*chosen.provider);
  if (params.model.empty() && !chosen.provider->config().is_searched) {
    return no_model(*chosen.provider);
  }
  return chosen;
}

Result<ExecutionPlan, Failure> LlmChat::plan(const Request& request) {
  TRY_ASSIGN(const Chosen chosen, choose(request));
  const auto& [params, provider] = chosen;
  if (auto refused = refuse_chat(params, provider->dialect())) return *std::move(refused);
  ExecutionPlan plan;
  plan.destination = provider->config().destination();
  plan.lane = lane_of(provider->config(), params.model);
  if (provider->config().tpm > 0) {
    plan.tokens = estimate_tokens(request, asked_tokens(params));
  }
  return plan;
}

std::unique_ptr<Execution> LlmChat::start(const Request& request, const ExecutionContext& context,
                                          std::function<void(Outcome)> done) {
  auto chosen = choose(request);
  if (!chosen) {
    done(std::move(chosen).error());
    return nullptr;
  }
  auto& [params, provider] = *chosen;
  ChatOptions options{.kind = kind_of_call(params, provider->dialect()),
                      .format = std::nullopt,
                      .schema = nullptr,
                      .stream = params.stream,
                      .raw = params.raw};
  if (params.response_format) {
    options.format = params.response_format->kind;
    if (*options.format == ResponseFormat::Kind::kJsonSchema) {
      options.schema = params.response_format->schema;
    }
  }
  std::unique_ptr<EventSink> events;
  if (params.stream && context.open_events) events = context.open_events();
  auto call = std::make_unique<ChatCall>(*service_, *provider, params.model, std::move(options),
                                         std::move(events), std::move(done));
  ChatCall* running = call.get();
  running->start([this, to = provider, asked = std::move(params), id = request.request_id](
                     ProviderCall& self) mutable -> Result<HttpRequest, Failure> {
    if (asked.model.empty()) asked.model = service_->default_model(*to);
    if (asked.model.empty()) return no_model(*to);
    self.set_model(asked.model);
    TRY_ASSIGN(HttpRequest made, make_request(*to, asked));
    if (to->config().is_scripted()) made.headers.emplace_back(kScriptRequestHeader, id);
    return made;
  });
  return call;
}

}  // namespace filecall::worker::llm
