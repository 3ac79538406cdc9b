// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/approval/core/policy_rule.h"

namespace filecall::client {

/// Names in a rule that no command of this version has: of a tool, and of members of its params. A
/// rule with such a name says nothing of the calls that its author has in mind. A sentence each,
/// with file and line; a worker with commands of its own may know them. Pure; any thread.
std::vector<std::string> unknown_names(const PolicyRule& rule);

/// "no command of this version is file.rea; did you mean file.read?" of a tool or a glob for
/// tools; empty: some command fits it.
std::string unknown_tool(std::string_view tool);

}  // namespace filecall::client
