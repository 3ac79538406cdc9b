// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ipc/json.h"
#include "ipc/response.h"
#include "worker/exec/llm/chat_types.h"
#include "worker/exec/llm/error_table.h"
#include "worker/exec/llm/llm_config.h"
#include "worker/exec/llm/secrets.h"

namespace filecall::worker::llm {

/// The shapes of what llm.* answers. All pure.

/// What is known of a call, for its answer or its error's details.
struct CallFacts {
  std::string provider;
  std::string model;
  int status = 0;
  std::string request_id;
  std::optional<std::int64_t> first_token_ms;
};

/// usage's members that are known.
Json usage_data(const Usage& usage);
/// US dollars, by the model that was asked for, else by the one that answered; nullopt without a
/// price or without usage.
std::optional<double> cost_of(const Usage& usage, const ProviderConfig& provider,
                              std::string_view requested, std::string_view answered);
/// Adds to the data of an answer what is known of its call: provider, model, requested_model where
/// another one answered, provider_request_id, cost.
void add_facts(const CallFacts& facts, const Usage& usage, const ProviderConfig& provider,
               Json& data);
/// text, tool_calls, finish_reason, and refusal, reasoning, usage, model where there are any.
Json result_data(const ChatResult& result);

/// The error half of an answer. `error`: what the provider said, null when it said nothing.
Failure make_failure(const Verdict& verdict, const CallFacts& facts, const WireError* error,
                     const std::string& message);

/// Takes a key out of every text of a value.
void redact(Json& value, const Secrets& secrets);
void redact(Failure& failure, const Secrets& secrets);

}  // namespace filecall::worker::llm
