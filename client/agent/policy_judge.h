// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/agent/agent_order.h"
#include "client/agent/core/agent_judge.h"
#include "client/agent/run_estimates.h"
#include "client/approval/core/policy.h"

namespace filecall::client {

/// The judge of a run: the policy, the readers of plans and the check of reports. One thread.
class PolicyJudge final : public AgentJudge {
 public:
  explicit PolicyJudge(const AgentOrder& order)
      : policy_(order.policy),
        working_directory_(order.working_directory),
        own_files_(order.own_files),
        run_(order.run),
        thread_(order.thread) {}

  /// How the worker confines programs now, and where they work; not known before this is called.
  void set_sandbox(SandboxFacts facts) {
    if (!facts.roots.empty()) tool_directory_ = facts.roots.front();
    sandbox_ = std::move(facts);
  }

  /// Where the worker's programs work when a call does not say it (tool_sandbox of its catalog).
  void set_tool_directory(std::string directory) { tool_directory_ = std::move(directory); }

  /// What paths of file.* and git.* are relative to, as its catalog says it; empty: as above.
  void set_file_directory(std::string directory) { file_directory_ = std::move(directory); }

  /// What approvals say of how long a call takes; must outlive it. Null: nothing.
  void set_estimates(RunEstimates* estimates) { estimates_ = estimates; }

  Ruling decide(const CallFacts& facts, const AgentState& state) const override;
  PlanReading read_plan(const Json& data, const AgentSettings& settings,
                        const ToolCatalog& catalog) const override;
  Json approval_request(const std::string& id, const std::vector<ShownCall>& calls,
                        const AgentState& state, WallTime now) const override;
  std::vector<std::string> unsupported(std::string_view report,
                                       const std::vector<std::string>& texts) const override;
  Progress progress(const std::vector<AgentStep>& steps, std::string& why) const override;

 private:
  CallToDecide call_of(const CallFacts& facts, const AgentState& state) const;
  /// The policy with what people have allowed for the rest of the run.
  const Policy& policy_of(const AgentState& state) const;

  Policy policy_;
  SandboxFacts sandbox_{.level = "unknown", .hides_root = false, .has_network = true};
  RunEstimates* estimates_ = nullptr;
  std::string working_directory_;
  std::vector<std::string> own_files_;
  std::string tool_directory_;
  std::string file_directory_;
  std::string run_;
  std::string thread_;
  mutable std::optional<Policy> granted_;
  mutable std::size_t granted_count_ = 0;
};

}  // namespace filecall::client
