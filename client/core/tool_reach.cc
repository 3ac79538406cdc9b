// SPDX-License-Identifier: MIT
#include "client/core/tool_reach.h"

namespace filecall::client {

bool only_lists(std::string_view tool, const Json& params) {
  if (tool != "git.branch" && tool != "git.worktree") return false;
  if (!params.is_object()) return false;
  const auto action = params.find("action");
  return action != params.end() && *action == "list";
}

}  // namespace filecall::client
