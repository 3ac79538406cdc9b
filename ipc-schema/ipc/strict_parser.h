// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/request.h"

namespace filecall {

/// How to take what JSON allows and programs read differently.
enum class Strictness : std::uint8_t {
  /// Two equal keys, and integers beyond 64 bits, are faults: one of two meanings, or some digits,
  /// would be lost in silence.
  kRequest,
  /// The last of equal keys counts and large integers become floats, as most readers do it; for
  /// files that other programs' workers wrote.
  kForeign,
};

/// A member that is read, checked and not kept, wherever an object of the name `parent` has it: for
/// what nobody wants and takes more room than the rest. An empty `member`: none; an empty `parent`:
/// the object at the top.
struct LeftOut {
  std::string_view parent;
  std::string_view member;
};

/// Builds a value from a JSON text without recursion, so that no input can exhaust the stack, and
/// stops at the first fault. `what` is the object that messages speak of ("request").
/// `depth_max` is 1..limits::kDepthMax.
Result<Json, RequestFault> parse_strict(std::string_view bytes, int depth_max,
                                        Strictness strictness, std::string_view what,
                                        LeftOut left_out = {});

/// One reference token of a JSON pointer, with its slash: '~' and '/' escaped, long ones shortened.
std::string pointer_token(std::string_view key);

}  // namespace filecall
