// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall::client {

/// What of a request decides its answer, as one text: command, params (with the provider, without
/// `stream`) and which repeat it is, so that repeats are not answered by each other. nullopt: not
/// to be cached: another command than llm.chat and llm.embed, or, unless `all`, an answer that may
/// be another one the next time (neither a temperature of 0 nor a seed). Pure.
std::optional<std::string> cache_identity(std::string_view request_text, bool all);

/// Whether an answer is complete: neither cut nor refused nor filtered.
bool is_cacheable_answer(const Json& data);

}  // namespace filecall::client
