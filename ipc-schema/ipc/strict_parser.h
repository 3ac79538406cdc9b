// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <variant>

#include "ipc/json.h"
#include "ipc/request.h"

namespace filecall {

/// What an object with two equal keys is.
enum class DuplicateKeys : std::uint8_t {
  kRefuse,    ///< A fault that names the key: whoever wrote it meant one of the two.
  kTakeLast,  ///< What most readers do; for files that other programs' workers write.
};

/// Builds a value from a JSON text without recursion, so that no input can exhaust the stack, and
/// stops at the first fault. `what` is the object that messages speak of ("request").
/// `depth_max` is 1..limits::kDepthMax.
std::variant<Json, RequestFault> parse_strict(std::string_view bytes, int depth_max,
                                              DuplicateKeys duplicates, std::string_view what);

/// One reference token of a JSON pointer, with its slash: '~' and '/' escaped, long ones shortened.
std::string pointer_token(std::string_view key);

}  // namespace filecall
