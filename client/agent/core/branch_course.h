// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "client/agent/core/agent_judge.h"
#include "client/agent/core/agent_machine.h"
#include "client/agent/core/agent_state.h"
#include "client/agent/core/tool_catalog.h"

namespace filecall::client {

/// One request of those that make a branch and its worktree.
struct BranchSetup {
  std::string what;
  std::string command;
  Json params;
};

/// What a run with a branch of its own does beside its plan: makes the branch and its worktree
/// before the first plan, commits what a step has changed, and looks at the end what a merge would
/// come to. Each of them is a request of the run. Pure.
class BranchCourse {
 public:
  /// All must outlive it.
  BranchCourse(const std::string& run, const AgentState& state, const ToolCatalog& catalog,
               const AgentJudge& judge, WallTime now)
      : run_(run), state_(state), catalog_(catalog), judge_(judge), now_(now) {}

  /// The next records of each; empty: nothing is left to do.
  std::vector<AgentRecord> set_up() const;
  std::vector<AgentRecord> commit(const AgentStep& step) const;
  std::vector<AgentRecord> preview_merge() const;

  /// Data of branch.answered.
  Json answer_of(const Response& response) const;

 private:
  using Records = std::vector<AgentRecord>;
  Records ask(const std::string& what, const std::string& id, const std::string& command,
              Json params, std::int64_t step = 0) const;
  Records ask_setup(const BranchSetup& setup) const;
  Records check_setup() const;
  Records plan_commit(const AgentStep& step) const;
  bool needs_checks(const AgentStep& step) const;
  void take_look(const Json& data, Json& answer) const;
  void take_changes(const Json& data, Json& answer) const;
  void take_head(const Json& data, Json& answer) const;

  const std::string& run_;
  const AgentState& state_;
  const ToolCatalog& catalog_;
  const AgentJudge& judge_;
  WallTime now_;
};

}  // namespace filecall::client
