// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/agent/plan/plan_text.h"
#include "ipc/json.h"

namespace filecall::client {

/// Why an object is no plan; the place is where it stands.
struct ShapeFault {
  std::string rule;
  std::string message;
};

/// Whether an object at the top is a plan, or a call by itself. Pure, as all here.
bool is_plan_object(const Json& object);
bool is_call_object(const Json& object);

/// Both seeds' spellings become one plan.
Result<Plan, ShapeFault> read_plan_object(const Json& object, const PlanRules& rules);
/// `where` names it in messages: "actions[1]". Notes are added, each kind once.
Result<PlannedCall, ShapeFault> read_call_object(const Json& object, const std::string& where,
                                                 const PlanRules& rules,
                                                 std::vector<std::string>& notes);
/// The tool that a model means by `name`.
Result<std::string, ShapeFault> find_tool(std::string_view name, const PlanRules& rules,
                                          std::vector<std::string>& notes);
/// Shortened to the rules' characters.
std::string short_commentary(std::string_view text, const PlanRules& rules,
                             std::vector<std::string>& notes);
void add_note(std::vector<std::string>& notes, std::string note);

}  // namespace filecall::client
