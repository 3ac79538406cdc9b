// SPDX-License-Identifier: MIT
#include "worker/exec/llm/chat_data.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "worker/exec/json_read.h"

namespace filecall::worker::llm {
namespace {

Json call_data(const ChatToolCall& call) {
  Json data = {{"id", call.id}, {"name", call.name}};
  if (auto arguments = parse_foreign(call.arguments.empty() ? "{}" : call.arguments)) {
    data["arguments"] = std::move(*arguments);
  } else {
    // What a model wrote is passed on as it is, and said to be broken.
    data["arguments"] = call.arguments;
    data["arguments_invalid"] = true;
  }
  return data;
}

Json choice_data(const ChatChoice& choice) {
  Json calls = Json::array();
  for (const ChatToolCall& call : choice.tool_calls) calls.push_back(call_data(call));
  Json data = {{"text", choice.text},
               {"tool_calls", std::move(calls)},
               {"finish_reason", to_string(choice.finish_reason)}};
  if (!choice.refusal.empty()) data["refusal"] = choice.refusal;
  if (!choice.reasoning.empty()) data["reasoning"] = choice.reasoning;
  if (!choice.logprobs.is_null()) data["logprobs"] = choice.logprobs;
  return data;
}

}  // namespace

Json usage_data(const Usage& usage) {
  Json data = Json::object();
  const std::pair<const char*, std::optional<std::int64_t>> counts[] = {
      {"input_tokens", usage.input_tokens},
      {"output_tokens", usage.output_tokens},
      {"cached_input_tokens", usage.cached_input_tokens},
      {"reasoning_tokens", usage.reasoning_tokens}};
  for (const auto& [name, count] : counts) {
    if (count) data[name] = *count;
  }
  return data;
}

std::optional<double> cost_of(const Usage& usage, const ProviderConfig& provider,
                              std::string_view requested, std::string_view answered) {
  const TokenPrice* price = provider.prices.find("", requested, answered);
  if (price == nullptr || !usage.is_known()) return std::nullopt;
  return price->cost(usage.input_tokens.value_or(0), usage.cached_input_tokens.value_or(0),
                     usage.output_tokens.value_or(0));
}

void add_facts(const CallFacts& facts, const Usage& usage, const ProviderConfig& provider,
               Json& data) {
  data["provider"] = facts.provider;
  std::string answered = text_member(data, "model");
  if (answered.empty()) answered = facts.model;
  if (answered != facts.model) data["requested_model"] = facts.model;
  if (const auto cost = cost_of(usage, provider, facts.model, answered)) data["cost"] = *cost;
  data["model"] = std::move(answered);
  if (!facts.request_id.empty()) data["provider_request_id"] = facts.request_id;
}

Json result_data(const ChatResult& result) {
  Json data = choice_data(result);
  if (!result.others.empty()) {
    Json choices = Json::array({choice_data(result)});
    for (const ChatChoice& choice : result.others) choices.push_back(choice_data(choice));
    data["choices"] = std::move(choices);
  }
  if (!result.model.empty()) data["model"] = result.model;
  if (!result.fingerprint.empty()) data["system_fingerprint"] = result.fingerprint;
  data["usage"] = usage_data(result.usage);
  return data;
}

Failure make_failure(const Verdict& verdict, const CallFacts& facts, const WireError* error,
                     const std::string& message) {
  Failure failure;
  failure.code = verdict.code;
  failure.retryable = verdict.is_retryable;
  if (verdict.retry_after) failure.retry_after_ms = to_ms(*verdict.retry_after);
  failure.message = fmt::format("{}{}{}: {}: {}", facts.provider, facts.model.empty() ? "" : "/",
                                facts.model, to_string(verdict.error_class), message);
  failure.details = {{"class", to_string(verdict.error_class)},
                     {"ambiguous", verdict.is_ambiguous},
                     {"provider", facts.provider}};
  Json& details = failure.details;
  if (verdict.is_pause) details["pause"] = true;
  if (!facts.model.empty()) details["model"] = facts.model;
  if (facts.status != 0) details["http_status"] = facts.status;
  std::string request_id = facts.request_id;
  if (error != nullptr) {
    if (!error->code.empty()) details["provider_code"] = error->code;
    if (!error->type.empty()) details["provider_type"] = error->type;
    details["fingerprint"] = fingerprint(*error);
    if (request_id.empty()) request_id = error->request_id;
  }
  if (!request_id.empty()) details["provider_request_id"] = request_id;
  return failure;
}

void redact(Json& value, const Secrets& secrets) {
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    if (secrets.stand_in(text)) text = secrets.redact(text);
    return;
  }
  if (!value.is_structured()) return;
  for (Json& inner : value) redact(inner, secrets);
  auto* object = value.get_ptr<Json::object_t*>();
  if (object == nullptr) return;
  // A name may hold one as well: what a provider sends is kept as it came (`raw`).
  for (auto member = object->begin(); member != object->end();) {
    const auto next = std::next(member);
    if (secrets.stand_in(member->first)) {
      auto taken = object->extract(member);
      const std::string name = secrets.redact(taken.key());
      taken.key() = name;
      // No member is lost to another with the same name.
      for (int number = 2; object->contains(taken.key()); ++number) {
        taken.key() = fmt::format("{} ({})", name, number);
      }
      object->insert(std::move(taken));
    }
    member = next;
  }
}

void redact(Failure& failure, const Secrets& secrets) {
  failure.message = secrets.redact(std::move(failure.message));
  redact(failure.details, secrets);
}

}  // namespace filecall::worker::llm
