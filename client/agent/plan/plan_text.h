// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// A call that a model wants.
struct PlannedCall {
  std::string tool;  ///< One of the rules' tools.
  Json args;         ///< An object. Not yet checked by the tool's schema.

  bool operator==(const PlannedCall&) const = default;
};

/// What a model says that it wants to do next.
struct Plan {
  std::string commentary;  ///< At most the rules' characters.
  std::vector<PlannedCall> calls;
  bool done = false;
  std::string summary;             ///< What it says at its end; empty: nothing.
  std::vector<std::string> notes;  ///< What was taken otherwise than it was written.
};

/// Why an answer is no plan. A corrective turn quotes the message, which names place and rule.
struct PlanFault {
  /// "no_json", "not_json", "truncated", "too_deep", "duplicate_name", "two_plans", "wrong_shape",
  /// "empty_plan", "unknown_tool", "too_many_calls", "no_block", "unclear_block", "bad_arguments",
  /// "invalid_utf8", "too_large" or "refused".
  std::string rule;
  std::size_t line = 0;    ///< In the model's text, from 1; 0: nowhere in particular.
  std::size_t column = 0;  ///< In characters, from 1.
  std::string message;
};

struct PlanRules {
  std::vector<std::string> tools;  ///< What may be called, by its name.
  std::size_t calls_max = 32;
  std::size_t commentary_characters = 160;
  std::size_t text_bytes_max = 4 * 1024 * 1024;
};

/// The plan of an answer that is one JSON object (planner `json`):
///
///   {"commentary": "...", "actions": [{"tool": "...", "args": {...}}], "done": false}
///   {"commentary": "...", "done": true, "finalSummary": "..."}
///
/// Also taken: `toolCalls` for `actions`, arguments beside `tool` without `args`, a tool without
/// its family ("getResource"). Prose, fences and objects that are no plan are passed over. An
/// argument `content_from: NAME` becomes `content`, the fenced block of that name. Two plans that
/// differ, and a plan that neither calls nor is done, are faults. Pure; linear in time.
Result<Plan, PlanFault> read_json_plan(std::string_view text, const PlanRules& rules);

/// The same of what llm.chat answered: also why there is no plan in its text, when the model or its
/// provider refused, or the answer was cut off. Pure.
Result<Plan, PlanFault> read_json_answer(const Json& data, const PlanRules& rules);

/// The plan of an answer with native tool calls (planner `tools`): `data` is what llm.chat
/// answered. No calls: it is done, and its text is the summary. Pure.
Result<Plan, PlanFault> read_tool_plan(const Json& data, const PlanRules& rules);

}  // namespace filecall::client
