// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "ipc/json.h"

namespace filecall::client {

/// A command that changes nothing of its own, and yet is no mere read where a model calls it:
/// system.cancel and system.discard end requests of others, and llm.* may cost money. Pure.
constexpr bool reaches_others(std::string_view tool) {
  return tool == "system.cancel" || tool == "system.discard" || tool.starts_with("llm.");
}

/// A call that changes nothing though its command can: git.branch and git.worktree with the action
/// list. Pure.
bool only_lists(std::string_view tool, const Json& params);

}  // namespace filecall::client
