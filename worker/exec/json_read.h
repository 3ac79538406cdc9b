// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ipc/json.h"
#include "ipc/strict_parser.h"

namespace filecall::worker {

/// Reading what a peer sent: a member of the wrong type, or of something that is no object, is
/// simply not there. None of these throws.

/// A JSON text of at most limits::kDepth levels, in UTF-8; nullopt for anything else. What a peer
/// nests deeper would exhaust the stack of the code that writes it out again.
/// `left_out` is read and not kept.
std::optional<Json> parse_foreign(std::string_view text, LeftOut left_out = {});

/// The member; a null value when it is not there.
const Json& member(const Json& object, std::string_view name);
/// Its text; "" for anything else.
std::string text_member(const Json& object, std::string_view name);
/// Its text, or a number as text (llama.cpp and vLLM send integer codes); "" for anything else.
std::string code_member(const Json& object, const char* name);
/// Its value as a non-negative count, of at most 2^53: some may be added up.
std::optional<std::int64_t> count_member(const Json& object, const char* name);

}  // namespace filecall::worker
