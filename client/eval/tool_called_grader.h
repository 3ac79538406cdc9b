// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "client/eval/grader.h"

namespace filecall::client {

/// "tool_called": how often the model called a tool, in all turns unless a turn is named.
struct ToolCalledRule {
  std::string tool;  ///< Empty: any.
  Json arguments{};  ///< What a call's arguments must have, see fits_pattern(); null: any.
  std::int64_t at_least = 1;
  std::optional<std::int64_t> at_most{};
};
std::unique_ptr<Grader> make_tool_called_grader(GraderSettings settings, ToolCalledRule rule);

}  // namespace filecall::client
