// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "client/agent/core/agent_settings.h"
#include "client/agent/core/agent_step.h"
#include "client/agent/core/run_branch.h"
#include "ipc/json.h"

namespace filecall::client {

enum class AgentEnd : std::uint8_t { kNone, kDone, kFailed, kBudget, kLoop, kCancelled };
std::string_view to_string(AgentEnd end);
AgentEnd parse_agent_end(std::string_view name);

/// A text of a person for the model, after the step in which it came.
struct SteerText {
  std::int64_t after_step = 0;
  std::string text;
};

/// A run, as its records tell it and nothing else. Pure; copies freely.
class AgentState {
 public:
  /// Takes one record of the run, in their order. What it does not know it passes over.
  void fold(std::string_view type, const Json& data, WallTime at);
  /// Records of it are damaged or missing; `where` says in which place of which file. The first
  /// one said is kept.
  void note_damage(std::string where);
  /// Empty: all its records were read. Otherwise figures are those of the records that were, and
  /// nothing may follow from them.
  const std::string& damage() const { return damage_; }

  bool has_begun() const { return has_begun_; }
  const AgentSettings& settings() const { return settings_; }
  const std::vector<AgentStep>& steps() const { return steps_; }
  /// Without one that was cancelled before it had a plan.
  std::int64_t step_count() const;
  /// Null before the first one.
  const AgentStep* step() const { return steps_.empty() ? nullptr : &steps_.back(); }
  /// Place in the chain of models.
  std::size_t model() const { return model_; }
  const std::vector<SteerText>& steers() const { return steers_; }
  /// What later prompts have in the place of the first steps; empty: nothing.
  const std::string& summary() const { return summary_; }
  std::int64_t summarised_steps() const { return summarised_steps_; }
  /// What the guard said to the model, and after which step.
  const std::vector<SteerText>& warnings() const { return warnings_; }
  const Json& todo() const { return todo_; }

  const std::string& report_request() const { return report_request_; }
  bool has_report() const { return has_report_; }
  const std::string& report() const { return report_; }
  const std::vector<std::string>& unsupported() const { return unsupported_; }
  /// Rules that people's decisions made for the rest of the run: text of policy.
  const std::vector<std::string>& granted_rules() const { return granted_; }

  bool is_parked() const { return is_parked_; }
  bool is_cancelled() const { return is_cancelled_; }
  AgentEnd end() const { return end_; }
  /// How it will end when what it has changed is committed; kNone: it goes on.
  AgentEnd ending() const { return ending_; }
  const std::string& ending_reason() const { return ending_reason_; }
  const RunBranch& branch() const { return branch_; }
  bool is_over() const { return end_ != AgentEnd::kNone; }
  const std::string& end_reason() const { return end_reason_; }

  /// How often it ended on a budget and went on with a larger one.
  int continuations() const { return continuations_; }

  // What was used.
  std::int64_t calls() const { return calls_; }
  /// Calls with effects that have changed something, or may have: not those that were refused.
  std::int64_t writes() const { return writes_; }
  /// "PROVIDER/MODEL" that answered last, or failed when none has; empty: nobody knows.
  const std::string& answered_by() const { return answered_by_; }
  std::int64_t tokens() const { return tokens_; }
  double cost() const { return cost_; }
  bool is_cost_known() const { return is_cost_known_ && damage_.empty(); }
  WallTime begun_at() const { return begun_at_; }
  /// Up to `now`, without what it was parked.
  Duration active_time(WallTime now) const;
  /// How the scenario's checks ended that came last: "passed", "failed", "not_run" (denied, say);
  /// empty: there was none.
  std::string_view checks() const;
  const std::vector<std::string>& files_changed() const { return files_changed_; }
  /// False: programs ran, and what they changed is not in files_changed(); or records are damaged.
  bool knows_files_changed() const;

 private:
  void fold_planning(std::string_view type, const Json& data);
  void fold_call(std::string_view type, const Json& data);
  void fold_approval(std::string_view type, const Json& data);
  void fold_course(std::string_view type, const Json& data, WallTime at);
  void take_budgets(const Json& data, WallTime at);
  void fold_branch(std::string_view type, const Json& data);
  void take_call_end(AgentCall& call, const Json& data);
  void take_file(const std::string& file);
  void take_checks(AgentStep& step, const Json& data);
  void take_commit_end(const AgentCall& call, const Json& data);
  void take_plan(const Json& data);
  void take_decisions(const Json& data);
  void add_usage(const Json& usage);
  AgentStep* find_step(const Json& data);
  AgentCall* find_call(const Json& data);

  bool has_begun_ = false;
  AgentSettings settings_;
  std::vector<AgentStep> steps_;
  std::size_t model_ = 0;
  std::vector<SteerText> steers_;
  std::string summary_;
  std::int64_t summarised_steps_ = 0;
  std::vector<SteerText> warnings_;
  Json todo_;
  std::string report_request_;
  bool has_report_ = false;
  std::string report_;
  std::vector<std::string> unsupported_;
  std::vector<std::string> granted_;
  bool is_parked_ = false;
  bool is_cancelled_ = false;
  AgentEnd end_ = AgentEnd::kNone;
  std::string end_reason_;
  int continuations_ = 0;
  AgentEnd ending_ = AgentEnd::kNone;
  std::string ending_reason_;
  RunBranch branch_;
  std::int64_t calls_ = 0;
  std::int64_t writes_ = 0;
  std::string answered_by_;
  std::int64_t tokens_ = 0;
  double cost_ = 0;
  bool is_cost_known_ = true;
  WallTime begun_at_{};
  WallTime ended_at_{};
  WallTime parked_at_{};
  Duration parked_time_{};
  std::vector<std::string> files_changed_;
  bool has_unchecked_files_ = false;  ///< Files were changed, and no check has run since.
  std::string damage_;
};

}  // namespace filecall::client
