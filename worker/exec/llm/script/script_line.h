// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "ipc/json.h"
#include "worker/exec/llm/script/script_pattern.h"

namespace filecall::worker::llm {

/// When a line of a script answers: all that is set must hold.
struct ScriptMatch {
  /// One search in one part of a call.
  struct Search {
    enum class Part : std::uint8_t { kModel, kRequest, kSystem, kUser, kToolResult, kLast, kAny };
    Part part = Part::kAny;
    ScriptPattern pattern;
  };
  std::vector<Search> searches;
  /// Which answer of the conversation it is: 1 is the first.
  std::optional<std::int64_t> turn;
  std::string tool;    ///< The call must offer a tool of that name; empty: any call.
  std::string format;  ///< The kind of its response_format ("text" without one); empty: any.
};

/// What breaks a scripted answer.
enum class ScriptFault : std::uint8_t {
  kNone,
  kRefused,  ///< Nobody listens.
  kReset,    ///< The connection breaks before an answer began.
  kHang,     ///< Nothing comes, until the call's own time limits.
  kCut,      ///< The answer breaks off in its middle.
};

/// One line of a script: when it answers, and with what. Plain data.
struct ScriptLine {
  std::size_t number = 0;  ///< In the file, from 1.
  ScriptMatch when;
  /// It answers only the first so many times that one request asks this worker; 0: always.
  std::int64_t first = 0;
  Json reply;  ///< An object: text, reasoning, refusal, tool_calls, finish_reason, usage.
  Json error;  ///< Null, or status, message, type, code, retry_after_ms.
  std::optional<std::string> raw;  ///< The body, as it is.
  ScriptFault fault = ScriptFault::kNone;
  Duration delay{};             ///< Before the answer begins.
  std::size_t piece_bytes = 0;  ///< Of one streamed piece of text; 0: the default.
  Duration piece_delay{};       ///< Between two of them.
};

}  // namespace filecall::worker::llm
