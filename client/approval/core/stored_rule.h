// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/approval/core/argv_reading.h"
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

/// How many words of an argv say what is done, whatever stands behind them: git status, npm run
/// test. 0: a stored rule names all of them, and no others fit.
std::size_t words_that_name(const std::vector<std::string>& argv);

/// One of the commands is a delete, or ends what others run: no stored rule allows it.
bool is_decided_each_time(const ArgvReading& reading);

/// Rules as the YAML text of a PolicyText of the kind kStored; `project` is the absolute directory
/// that they are for, or empty.
std::string stored_rules_text(const std::vector<Json>& rules, std::string_view project);

}  // namespace filecall::client
