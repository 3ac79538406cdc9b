// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// Where a text stops to be JSON, and why.
struct JsonFault {
  std::string rule;        ///< "not_json", "truncated", "too_deep" or "duplicate_name".
  std::size_t offset = 0;  ///< In bytes.
  std::string message;     ///< "expected ',' or '}' after a member, found '\"'"
};

struct LenientObject {
  Json value;
  std::size_t end = 0;               ///< Behind its last byte.
  std::vector<std::string> repairs;  ///< "a trailing comma", each kind once.
};

/// Reads the object that begins at `offset`, as a model writes one: beside JSON it takes trailing
/// commas, comments, names without quotes, line breaks and other control characters in strings, and
/// Python's True, False and None; none of these can mean two things. All else that is no JSON is a
/// fault, equal names among them. Depth is bounded (limits::kDepth). `text` is UTF-8. Pure.
Result<LenientObject, JsonFault> read_lenient_object(std::string_view text, std::size_t offset);

}  // namespace filecall::client
