// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::client {

/// What one call of a tool tells the model, at most.
inline constexpr std::size_t kResultBytesMax = 16 * 1024;

/// How long a value is as JSON in one line. It is asked of whole prompts, at every step.
std::size_t json_bytes(const Json& value);

/// A response's data, or its error with details, as one JSON text.
std::string result_text_of(const Response& response);

/// The first `bytes` of a text, and no part of a character.
std::string_view leading_text(std::string_view text, std::size_t bytes);

/// At most about `bytes_max` of a text: its beginning and its end, and between them how much was
/// left out and where the whole lies (`whole`, e.g. "responses/ID.json"). Whole UTF-8 characters.
std::string bounded_text(std::string_view text, std::size_t bytes_max, std::string_view whole);

/// Whether the JSON of all of them has at most `bytes_max` together: printed only when a look at
/// the sizes of their texts leaves it open.
bool fits_in_json(std::initializer_list<const Json*> values, std::size_t bytes_max);

/// A value whose long texts are cut so that its JSON has at most about `bytes_max`; its shape stays
/// as far as that can be.
Json bounded_value(const Json& value, std::size_t bytes_max);

/// What an answer of a model used: its tokens, and its cost where that is known. An object.
Json usage_of(const Json& data);

/// Marks a text as data from outside, between two lines that the text itself cannot contain.
std::string fenced_data(std::string_view text);

}  // namespace filecall::client
