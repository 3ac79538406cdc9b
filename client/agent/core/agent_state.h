// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "client/agent/core/agent_settings.h"
#include "client/agent/core/run_branch.h"
#include "ipc/json.h"

namespace filecall::client {

/// One call of a plan, from what the model wrote to what became of it. Plain data.
struct AgentCall {
  int n = 0;  ///< In its step, from 1.
  std::string tool;
  Json args;
  bool is_check = false;   ///< The scenario's, not the model's.
  bool is_commit = false;  ///< The run's own, of what the step has changed on its branch.

  std::string decision;  ///< "": not yet; "allow", "prompt", "deny".
  std::string risk;
  std::string rule;
  Json reasons = Json::array();
  std::string deny_reason;

  std::string preview_request;  ///< Asked for; empty: not, or none is there.
  bool has_preview = false;     ///< It was answered, in whatever way.
  Json preview;                 ///< Its data; null: it failed.
  std::string preview_error;

  std::string impact_request;  ///< The same for what depends on an object that is to go.
  bool has_impact = false;
  Json impact;
  std::string impact_error;

  /// Something that a person is to see was asked for and is not there yet.
  bool awaits_answer() const {
    return !is_settled() &&
           ((!preview_request.empty() && !has_preview) || (!impact_request.empty() && !has_impact));
  }

  std::optional<bool> approved;  ///< Of a prompt.
  Json modified_args;            ///< What a person made of the arguments; null: nothing.
  Json hunks;                    ///< What a person chose; null: all.
  std::string decision_reason;

  std::string request_id;    ///< Begun; empty: not.
  bool has_effects = false;  ///< Known when it has begun.
  std::string status;        ///< "": not ended; "success", an error code, "denied", "not_run".
  std::string message;       ///< Of an error, or why it did not run.
  std::string result;        ///< What the model sees of it.
  std::string result_digest;
  std::int64_t result_bytes = 0;  ///< The whole's, which lies in its response.

  bool is_settled() const { return !status.empty(); }
  bool has_succeeded() const { return status == "success"; }
  /// Neither done nor left out by a person or a rule. A commit that was not made is no failure of
  /// the model's plan: the run's result says what is in none.
  bool has_failed() const {
    return is_settled() && !has_succeeded() && !is_commit && status != "denied" &&
           status != "not_run";
  }
};

/// An answer that was not a plan, and why.
struct RejectedPlan {
  std::string message;
  std::string excerpt;
};

/// One turn of the loop. Plain data.
struct AgentStep {
  std::int64_t number = 0;
  int turn = 1;              ///< Of asking: further ones correct an answer.
  std::string plan_request;  ///< Asked last.
  bool is_planned = false;
  std::vector<RejectedPlan> rejected;
  std::string commentary;
  std::vector<AgentCall> calls;
  bool is_done = false;
  std::string summary;
  std::string approval;  ///< Asked for last and not stale; empty: none.
  bool is_decided = false;
  int rounds = 0;  ///< Approvals asked for.
  /// Those of them that were asked under another policy or scenario, and were not decided.
  std::vector<std::string> stale_approvals;
  Json approval_request;  ///< What was asked, whole.
  bool is_closed = false;
  std::string decided_approval;  ///< That of the step's own calls.
  bool has_looked = false;       ///< What it has changed on the run's branch is known.
  bool is_saved = false;         ///< It is committed, or was to be; or nothing changed.
  bool must_find_commit =
      false;  ///< A commit was interrupted: the branch tells whether it is there.

  bool has_calls_left() const;
  bool has_failed_call() const;
  AgentCall* find(std::int64_t n);
  /// What has not begun is decided and shown afresh.
  void forget_decisions();
};

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

  bool has_begun() const { return has_begun_; }
  const AgentSettings& settings() const { return settings_; }
  const std::vector<AgentStep>& steps() const { return steps_; }
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

  // What was used.
  std::int64_t calls() const { return calls_; }
  /// Calls with effects that were made: what a budget counts.
  std::int64_t write_attempts() const { return write_attempts_; }
  /// Those of them that have changed something, or may have: not those that were refused.
  std::int64_t writes() const { return writes_; }
  /// "PROVIDER/MODEL" that answered last; empty: none has.
  const std::string& answered_by() const { return answered_by_; }
  std::int64_t tokens() const { return tokens_; }
  double cost() const { return cost_; }
  bool is_cost_known() const { return is_cost_known_; }
  WallTime begun_at() const { return begun_at_; }
  /// Up to `now`, without what it was parked.
  Duration active_time(WallTime now) const;
  /// How the scenario's checks ended that ran last: "passed", "failed" (or one was not run); empty:
  /// none has run.
  std::string_view checks() const;
  const std::vector<std::string>& files_changed() const { return files_changed_; }

 private:
  void fold_planning(std::string_view type, const Json& data);
  void fold_call(std::string_view type, const Json& data);
  void fold_approval(std::string_view type, const Json& data);
  void fold_course(std::string_view type, const Json& data, WallTime at);
  void fold_branch(std::string_view type, const Json& data);
  void take_call_end(AgentCall& call, const Json& data);
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
  AgentEnd ending_ = AgentEnd::kNone;
  std::string ending_reason_;
  RunBranch branch_;
  std::int64_t calls_ = 0;
  std::int64_t write_attempts_ = 0;
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
};

}  // namespace filecall::client
