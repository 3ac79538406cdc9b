// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/agent/core/agent_judge.h"
#include "client/agent/core/agent_machine.h"
#include "client/agent/core/agent_state.h"
#include "client/agent/core/branch_course.h"
#include "client/agent/core/tool_catalog.h"

namespace filecall::client {

/// What a state leads to by itself, without an event: the next records. Pure.
class AgentAdvance {
 public:
  AgentAdvance(const std::string& run, const AgentState& state, const ToolCatalog& catalog,
               const AgentJudge& judge, WallTime now)
      : run_(run), state_(state), catalog_(catalog), judge_(judge), now_(now) {}

  /// Empty: an effect's outcome is awaited, or the run is over or parked.
  std::vector<AgentRecord> next() const;

  CallFacts facts_of(const AgentCall& call) const;
  /// What is run for a call; null: it is none of the worker's.
  Result<CallRoute> route_of(const AgentCall& call) const;
  /// What shows a person what it would do; nullopt: nothing does.
  std::optional<CallRoute> preview_of(const AgentCall& call) const;
  bool has_effects(const AgentCall& call) const;

 private:
  using Records = std::vector<AgentRecord>;
  /// next(), but that what is to be done on the run's branch comes before its end.
  Records course() const;
  /// Of a run that will end: what has begun is waited for, the rest is left out.
  Records finish() const;
  Records plan_next() const;
  Records run_step(const AgentStep& step) const;
  Records decide(const AgentStep& step) const;
  Records preview(const AgentStep& step) const;
  Records impact(const AgentStep& step) const;
  Records approve(const AgentStep& step) const;
  Records execute(const AgentStep& step) const;
  Records begin_call(const AgentStep& step, const AgentCall& call) const;
  Records close(const AgentStep& step) const;
  Records report(const AgentStep* step) const;
  Records end(AgentEnd end, const std::string& reason) const;
  std::string fault_of(const AgentCall& call, const CatalogTool* tool) const;
  BranchCourse branch() const { return {run_, state_, catalog_, judge_, now_}; }

  const std::string& run_;
  const AgentState& state_;
  const ToolCatalog& catalog_;
  const AgentJudge& judge_;
  WallTime now_;
};

}  // namespace filecall::client
