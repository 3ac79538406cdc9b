// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall {

/// Appends to one string what would otherwise be built as a tree and dumped: the writer of every
/// file that is written once a request. Output is JSON in one line, malformed UTF-8 replaced by
/// U+FFFD, numbers that JSON cannot say (infinite, NaN) as null. Never throws but for memory.
void append_json(std::string& out, const Json& value);
/// With its quotes and escapes.
void append_json_string(std::string& out, std::string_view text);
void append_json_integer(std::string& out, std::int64_t value);

/// `text` shortened to about `bytes_max` for a message, malformed UTF-8 replaced.
std::string excerpt(std::string_view text, std::size_t bytes_max = 80);

}  // namespace filecall
