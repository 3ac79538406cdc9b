// SPDX-License-Identifier: MIT
#include "client/agent/decision_record.h"

#include <string>
#include <utility>

#include "client/agent/core/record_member.h"
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

ApprovalDecision nobody_decides(const Json& request, WallTime now) {
  ApprovalDecision decision;
  decision.id = text_at(request, "id");
  decision.digest = text_at(request, "digest");
  decision.source = "auto";
  decision.by = "filecall agent --no-wait";
  decision.reason = "nobody was there to decide";
  decision.decided_at = now;
  for (const Json& call : value_at(request, "calls")) {
    decision.calls.push_back({.n = static_cast<int>(number_at(call, "n", 1))});
  }
  return decision;
}

}  // namespace filecall::client
