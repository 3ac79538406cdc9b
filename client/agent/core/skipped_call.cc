// SPDX-License-Identifier: MIT
#include "client/agent/core/skipped_call.h"

namespace filecall::client {

AgentRecord skipped_call(const AgentStep& step, const AgentCall& call, const char* kind,
                         const std::string& reason) {
  return {"call.skipped",
          {{"step", step.number}, {"n", call.n}, {"kind", kind}, {"reason", reason}}};
}

AgentRecord denied_call(const AgentStep& step, const AgentCall& call, const Ruling& ruling) {
  return skipped_call(step, call, "denied",
                      ruling.deny_reason.empty() ? "a rule denies it" : ruling.deny_reason);
}

std::vector<AgentRecord> skipped_rest(const AgentStep& step, const std::string& reason) {
  std::vector<AgentRecord> records;
  for (const AgentCall& call : step.calls) {
    if (call.is_settled() || !call.request_id.empty() || call.is_commit) continue;
    records.push_back(skipped_call(step, call, "not_run", reason));
  }
  return records;
}

std::vector<AgentRecord> skipped_behind_failure(const AgentStep& step) {
  std::vector<AgentRecord> records;
  bool is_stopped = false;
  for (const AgentCall& call : step.calls) {
    if (call.is_settled()) {
      is_stopped = is_stopped || call.has_failed();
    } else if (is_stopped && !call.is_commit && call.request_id.empty()) {
      records.push_back(skipped_call(step, call, "not_run", "a call before it failed"));
    }
  }
  return records;
}

}  // namespace filecall::client
