// SPDX-License-Identifier: MIT
#include "client/agent/decision_record.h"

#include <string>
#include <utility>

#include "client/approval/core/stored_rule.h"

namespace filecall::client {

Json decision_record(const ApprovalDecision& decision) {
  Json list = Json::array();
  std::string rule;
  if (!decision.rules.empty()) rule = stored_rules_text(decision.rules, "");
  for (const CallDecision& call : decision.calls) {
    Json one = {{"n", call.n}, {"approved", call.approved}, {"reason", call.reason}};
    if (one["reason"] == "") one["reason"] = decision.reason;
    if (call.modified_arguments) one["args"] = *call.modified_arguments;
    if (!call.hunks.empty()) one["hunks"] = call.hunks;
    if (call.approved && !rule.empty()) one["rule"] = std::exchange(rule, {});
    list.push_back(std::move(one));
  }
  return {{"decisions", std::move(list)},
          {"source", decision.source},
          {"by", decision.by},
          {"scope", std::string(to_string(decision.scope))},
          {"reason", decision.reason}};
}

}  // namespace filecall::client
