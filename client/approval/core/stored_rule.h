// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/approval/core/call.h"
#include "ipc/json.h"

namespace filecall::client {

/// The rule that an approval with a scope beyond `once` stores, shown before the decision.
struct StorableRule {
  Json rule;                          ///< As under `rules` of a policy.
  std::vector<std::string> examples;  ///< What else it would allow.
};

/// Failure: failed_precondition, why no rule is offered: a program that runs what it is given, what
/// is not understood, variables or input beside the argv, a delete, an unnamed cluster, risk
/// critical. Pure; any thread.
Result<StorableRule> rule_to_store(const CallToDecide& call);

/// Rules as the YAML text of a PolicyText of the kind kStored; `project` is the absolute directory
/// that they are for, or empty.
std::string stored_rules_text(const std::vector<Json>& rules, std::string_view project);

}  // namespace filecall::client
